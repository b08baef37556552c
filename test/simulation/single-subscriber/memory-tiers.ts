import type { Delivery } from '../../../src/deliveries/delivery.ts';
import { retryHeaders } from '../../../src/kafka/records/envelope.ts';
import type { FlowControl } from '../../../src/flow/flow-control.ts';
import { RecordRun, type PartitionFlow } from '../../../src/flow/partition.ts';
import type { RetryIntake } from '../../../src/kafka/consumer/retry-intake.ts';
import { sleep, type Clock } from '../../../src/lib/clock.ts';
import type { SourceRecord } from '../../../src/certificates/record.ts';
import { aHeldRecordContext } from '../../support/service/record-context.ts';

interface MemoryTiersOptions {
  readonly topics: readonly string[];
  readonly intake: () => Pick<RetryIntake, 'handle'>;
  readonly flow: FlowControl;
  readonly clock: Clock;
  readonly onWrite?: OnWrite | undefined;
}

export type OnWrite = (delivery: Delivery, dueAt: number) => void;

interface Tier {
  readonly topic: string;
  readonly log: OffHeapQueue;
  readonly flow: PartitionFlow;
}

interface StoredRetry {
  readonly timestamp: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly value: string;
}

const writeMs = 20;

/** The tiers as queues in memory. Each is read in order, as far ahead as the service's limits for a partition allow. */
export class MemoryTiers {
  readonly #options: MemoryTiersOptions;
  readonly #tiers: readonly Tier[];
  #writes = 0;

  constructor(options: MemoryTiersOptions) {
    this.#options = options;
    this.#tiers = options.topics.map((topic) => ({
      topic,
      log: new OffHeapQueue(),
      flow: options.flow.openPartition(),
    }));
  }

  /** The number of writes of all deliveries. */
  get writes(): number {
    return this.#writes;
  }

  async publishRetry(delivery: Delivery, to: { readonly tier: number; readonly dueAt: number }): Promise<'written'> {
    const { clock } = this.#options;
    const tier = this.#tiers[to.tier];
    if (tier === undefined) throw new RangeError(`there is no tier ${to.tier}`);
    this.#options.onWrite?.(delivery, to.dueAt);
    await sleep(clock, writeMs);
    this.#writes += 1;
    const headers = retryHeaders(delivery, to.dueAt).map(([name, value]) => [name, String(value)] as const);
    const written: StoredRetry = { timestamp: clock.now(), headers, value: delivery.body.toString() };
    tier.log.push(JSON.stringify(written));
    this.#readMore(tier);
    return 'written';
  }

  #readMore(tier: Tier): void {
    while (tier.flow.pausedBy(0) === undefined) {
      const text = tier.log.shift();
      if (text === undefined) return;
      const held = new RecordRun(tier.flow, text.length);
      void this.#options.intake().handle(recordOf(tier.topic, text), aHeldRecordContext(held));
    }
    this.#options.flow.onceReleased(() => this.#readAll());
  }

  #readAll(): void {
    for (const tier of this.#tiers) this.#readMore(tier);
  }
}

function recordOf(topic: string, text: string): SourceRecord {
  const { timestamp, headers, value } = JSON.parse(text) as StoredRetry;
  return {
    topic,
    partition: 0,
    offset: 0,
    timestamp,
    key: null,
    value: Buffer.from(value),
    headers: headers.map(([name, header]) => [name, Buffer.from(header)]),
  };
}

const lengthBytes = 4;

/** A queue of texts outside the heap. The data that Kafka stores must not count as memory of the service. */
class OffHeapQueue {
  #bytes: Buffer = Buffer.allocUnsafeSlow(1024 * 1024);
  #start = 0;
  #end = 0;

  get isEmpty(): boolean {
    return this.#start === this.#end;
  }

  push(text: string): void {
    const length = Buffer.byteLength(text);
    if (this.#end + lengthBytes + length > this.#bytes.length) this.#makeRoom(lengthBytes + length);
    this.#bytes.writeUInt32LE(length, this.#end);
    this.#bytes.write(text, this.#end + lengthBytes);
    this.#end += lengthBytes + length;
  }

  shift(): string | undefined {
    if (this.isEmpty) return undefined;
    const from = this.#start + lengthBytes;
    const to = from + this.#bytes.readUInt32LE(this.#start);
    this.#start = to;
    return this.#bytes.toString('utf8', from, to);
  }

  /** Drops the texts that were read. If less than half of the buffer becomes free, moves the others to a larger one. */
  #makeRoom(needed: number): void {
    const kept = this.#end - this.#start;
    const isLarge = (kept + needed) * 2 > this.#bytes.length;
    const bytes = isLarge ? Buffer.allocUnsafeSlow((kept + needed) * 4) : this.#bytes;
    this.#bytes.copy(bytes, 0, this.#start, this.#end);
    this.#bytes = bytes;
    this.#start = 0;
    this.#end = kept;
  }
}
