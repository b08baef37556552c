import { pools, type Pool } from '../../../src/deliveries/delivery.ts';
import { drain } from '../../../src/service/drain.ts';
import type { Reader } from '../../../src/service/readers.ts';
import { createMemoryKafka, type MemoryKafka } from '../broker/memory-kafka.ts';
import type { ProcessClock } from '../time/process-clock.ts';
import { startService, type InstanceOptions } from './start-service.ts';

/** One process of the service, from its start to its end or its death. */
export class Instance {
  readonly name: string;
  readonly #options: InstanceOptions;
  readonly #memory: MemoryKafka;
  readonly #stopping = new AbortController();
  readonly #stack = new AsyncDisposableStack();
  #state: 'up' | 'stopping' | 'gone' = 'up';
  #readers: Readonly<Record<Pool, Reader>> | undefined;

  constructor(parts: InstanceOptions) {
    this.#options = parts;
    this.name = parts.name;
    this.#memory = createMemoryKafka(parts.broker, parts.connection);
  }

  get isUp(): boolean {
    return this.#state === 'up';
  }

  get isGone(): boolean {
    return this.#state === 'gone';
  }

  /** Records under way. */
  get held(): number {
    return pools.reduce((sum, pool) => sum + (this.#readers?.[pool].limits.records ?? 0), 0);
  }

  async start(): Promise<void> {
    this.#say('starts');
    const { signal } = this.#stopping;
    this.#readers = await startService({ ...this.#options, kafka: this.#memory.kafka, signal, stack: this.#stack });
    this.#say('has started');
  }

  /** Whatever it was doing ends in the middle of it. */
  kill(): void {
    this.#say('is killed');
    this.#state = 'gone';
    this.#clock.kill();
  }

  stall(ms: number): void {
    this.#say(`stalls for ${ms} ms`);
    this.#clock.stall(ms);
  }

  /** The kafkajs consumer of one group fails. */
  crash(pool: Pool, restart: boolean): void {
    this.#say(`has its ${pool} consumer crash`);
    const ofPool = this.#memory.consumers.filter(({ groupId }) => groupId.endsWith('.retry') === (pool === 'retry'));
    ofPool.at(-1)?.crash(new Error('an error that kafkajs does not get over'), restart);
  }

  /** Drains and ends, as the service does when it is told to. */
  async stop(): Promise<void> {
    if (!this.isUp) return;
    this.#say('is told to stop');
    this.#state = 'stopping';
    this.#stopping.abort();
    const { graceMs } = this.#options.settings.shutdown;
    const readers = this.#readers;
    const drained = readers === undefined || (await drain([readers.first, readers.retry], graceMs));
    await this.#stack.disposeAsync();
    this.#say(drained ? 'is drained' : 'ends undrained');
    // The process exits: what is still under way in it is no more.
    this.#state = 'gone';
    this.#clock.kill();
  }

  get #clock(): ProcessClock {
    return this.#options.connection.clock;
  }

  #say(did: string): void {
    this.#options.history.add({ kind: 'instance', instance: this.name, did });
  }
}
