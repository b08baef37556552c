import { setTimeout as delay } from 'node:timers/promises';
import type { Producer } from 'kafkajs';
import { aCertificateDocument, aConfiguration, json } from '../../support/builders.ts';
import type { Platform } from '../../support/service/platform.ts';
import type { ServiceProcess } from '../../support/service/service-process.ts';
import { eventually } from '../../support/time/eventually.ts';

/** Measurements of one round. */
export interface SoakRound {
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
    const firstLine = service.output.length;
    const count = Math.floor(ms / intervalMs);
    await this.#write(count, hostileIds);
    const attempts = (): readonly Line[] => service.output.slice(firstLine).flatMap(attemptOf);
    const delivered = (): readonly Line[] =>
      attempts().filter(({ ownerId, outcome }) => ownerId === healthyId && outcome === 'delivered');
    await eventually('all of the healthy owner are delivered', async () => delivered().length >= count, {
      withinMs: 60_000,
      everyMs: 500,
    });
    const lines = attempts();
    return {
      ...(await this.#memory()),
      hostileAttempts: Object.fromEntries(
        hostileIds.map((id) => [id, lines.filter(({ ownerId }) => ownerId === id).length]),
      ),
    };
  }

  async #write(count: number, hostileIds: readonly string[]): Promise<void> {
    const { completed, expired } = this.#options.platform.topics;
    const begin = performance.now();
    const writes: Promise<unknown>[] = [];
    for (let index = 0; index < count; index += 1) {
      await delay(Math.max(0, begin + index * intervalMs - performance.now()));
      const id = `certificate-${(this.#written += 1)}`;
      writes.push(this.#send(completed, id, [healthyId]));
      if (index % hostileEvery === 0 && hostileIds.length > 0) writes.push(this.#send(expired, id, hostileIds));
    }
    await Promise.all(writes);
  }

  async #send(topic: string, id: string, ownerIds: readonly string[]): Promise<void> {
    const timestamp = String(Date.now());
    const messages = ownerIds.map((ownerId) => {
      return { key: ownerId, timestamp, value: json(aCertificateDocument({ _id: id, _ownerId: ownerId })) };
    });
    await this.#options.producer.send({ topic, acks: -1, messages });
  }

  async #directoryRead(): Promise<void> {
    const sample = `\ncertificate_webhooks_webhook_configurations{state="active"} ${this.#subscribed.size}\n`;
    await eventually('the service knows its subscribers', async () => {
      const response = await fetch(`http://127.0.0.1:${this.#options.httpPort}/metrics`);
      return (await response.text()).includes(sample);
    });
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
