import { setTimeout as delay } from 'node:timers/promises';
import type { Producer } from 'kafkajs';
import { aCertificateDocument, aConfiguration, json } from '../../support/builders.ts';
import type { Platform } from '../../support/service/platform.ts';
import type { ServiceProcess } from '../../support/service/service-process.ts';
import { eventually } from '../../support/time/eventually.ts';
import { bucketOfP99, seriesValue } from './scrape.ts';

/** Measurements of one round. Latencies are those of the healthy endpoint alone. */
export interface SoakRound {
  /** From the timestamp of the record to the log line of its 2xx, in ms, in the order of the records. */
  readonly latencies: readonly number[];
  /** The upper bounds of the buckets with the p99 of the service's own histograms, in seconds. */
  readonly p99Buckets: { readonly deliveryLatency: number; readonly queueDelay: number };
  /** Attempts at each hostile endpoint. Deliveries that an open circuit defers do not count. */
  readonly hostileAttempts: Readonly<Record<string, number>>;
  /** The memory of the service at the end, after a collection of all garbage. */
  readonly heapMiB: number;
  readonly rssMiB: number;
}

interface Subscriber {
  readonly id: string;
  readonly port: number;
}

interface SoakedServiceOptions {
  readonly platform: Platform;
  readonly service: ServiceProcess;
  readonly producer: Producer;
  readonly httpPort: number;
}

export const healthyId = 'healthy';

/** The interval between two certificates of the healthy owner. */
const intervalMs = 20;
/** One in so many certificates of the healthy owner comes with one for each hostile endpoint. */
const hostileEvery = 10;

type Line = Readonly<Record<string, unknown>>;

/** The service, its subscribers, and the certificates that are written for them. */
export class SoakedService {
  readonly #options: SoakedServiceOptions;
  readonly #subscribed = new Set<string>();
  #written = 0;
  #measurements = 0;

  constructor(options: SoakedServiceOptions) {
    this.#options = options;
  }

  /** Subscribes each endpoint for an owner of the same id. Resolves once the service knows them. */
  async subscribe(subscribers: readonly Subscriber[]): Promise<void> {
    await this.#options.platform.configure(
      ...subscribers.map(({ id, port }) =>
        aConfiguration({ _id: id, _ownerId: id, url: `https://127.0.0.1:${port}/` }),
      ),
    );
    for (const { id } of subscribers) this.#subscribed.add(id);
    await this.#directoryRead();
  }

  /** Resolves once the service has removed them. Their retries are then settled without a request. */
  async unsubscribe(subscribers: readonly Subscriber[]): Promise<void> {
    for (const { id } of subscribers) {
      await this.#options.platform.remove(id);
      this.#subscribed.delete(id);
    }
    await this.#directoryRead();
  }

  /** Writes certificates at a steady pace. Resolves once those of the healthy owner are delivered. */
  async round(ms: number, hostileIds: readonly string[]): Promise<SoakRound> {
    const { service } = this.#options;
    const before = await this.#metrics();
    const firstLine = service.output.length;
    const writtenAt = await this.#write(Math.floor(ms / intervalMs), hostileIds);
    const attempts = (): readonly Line[] => service.output.slice(firstLine).flatMap(attemptOf);
    const delivered = (): readonly Line[] =>
      attempts().filter(({ ownerId, outcome }) => ownerId === healthyId && outcome === 'delivered');
    await eventually('all of the healthy owner are delivered', async () => delivered().length >= writtenAt.size, {
      withinMs: 60_000,
      everyMs: 500,
    });
    const after = await this.#metrics();
    const { heapMiB, rssMiB } = await this.#memory();
    const lines = attempts();
    return {
      latencies: delivered().map(
        ({ certificateId, time }) => Date.parse(String(time)) - (writtenAt.get(String(certificateId)) ?? Number.NaN),
      ),
      p99Buckets: {
        deliveryLatency: bucketOfP99(before, after, 'delivery_latency_seconds'),
        queueDelay: bucketOfP99(before, after, 'queue_delay_seconds'),
      },
      hostileAttempts: Object.fromEntries(
        hostileIds.map((id) => [id, lines.filter(({ ownerId }) => ownerId === id).length]),
      ),
      heapMiB,
      rssMiB,
    };
  }

  /** Resolves to the times at which the certificates of the healthy owner were written. */
  async #write(count: number, hostileIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { completed, expired } = this.#options.platform.topics;
    const begin = performance.now();
    const writtenAt = new Map<string, number>();
    const writes: Promise<unknown>[] = [];
    for (let index = 0; index < count; index += 1) {
      await delay(Math.max(0, begin + index * intervalMs - performance.now()));
      const id = `certificate-${(this.#written += 1)}`;
      writtenAt.set(id, Date.now());
      writes.push(this.#send(completed, id, [healthyId]));
      // Another event type, so the histograms of the first have the healthy owner alone.
      if (index % hostileEvery === 0 && hostileIds.length > 0) writes.push(this.#send(expired, id, hostileIds));
    }
    await Promise.all(writes);
    return writtenAt;
  }

  async #send(topic: string, id: string, ownerIds: readonly string[]): Promise<void> {
    const timestamp = String(Date.now());
    const messages = ownerIds.map((ownerId) => {
      return { key: ownerId, timestamp, value: json(aCertificateDocument({ _id: id, _ownerId: ownerId })) };
    });
    await this.#options.producer.send({ topic, acks: -1, messages });
  }

  async #directoryRead(): Promise<void> {
    const series = 'webhook_configurations{state="active"}';
    await eventually('the service knows its subscribers', async () => {
      return seriesValue(await this.#metrics(), series) === this.#subscribed.size;
    });
  }

  async #metrics(): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.#options.httpPort}/metrics`);
    return response.text();
  }

  async #memory(): Promise<{ readonly heapMiB: number; readonly rssMiB: number }> {
    const { service } = this.#options;
    this.#measurements += 1;
    service.signal('SIGUSR2');
    const lines = await service.logged('memory.measured', this.#measurements);
    const last = lines.at(-1);
    return { heapMiB: Number(last?.['heapMiB']), rssMiB: Number(last?.['rssMiB']) };
  }
}

/** Returns the line if it is that of an attempt. */
function attemptOf(text: string): readonly Line[] {
  return text.includes('"delivery.attempted"') ? [JSON.parse(text) as Line] : [];
}
