import type { Environment } from '../../src/settings.ts';
import { findFreePorts } from '../support/kafka/cluster/ports.ts';
import { ServiceProcess, type Exit } from '../support/service/service-process.ts';
import { eventually, poll } from '../support/time/eventually.ts';

/**
 * Options of Node.js under the chart's memory limit of 1 GiB. The image gives 70 % of that to the heap. Its flag that lets
 * more garbage collect is left out, so that the heap in use stays near what the service holds.
 */
const nodeOptions = '--max-old-space-size=716 --max-semi-space-size=8 --v8-pool-size=1';
const sampleEveryMs = 200;
const answerWithinMs = 30_000;

/** Starts the service in a process with the heap of the chart, and samples it until it is stopped. */
export async function startWatchedService(environment: Environment): Promise<WatchedService> {
  const port = await findFreePorts(1);
  const service = new ServiceProcess({ ...environment, NODE_OPTIONS: nodeOptions, HTTP_PORT: String(port) });
  return new WatchedService(service, `http://127.0.0.1:${port}/metrics`);
}

/** The service in a process of its own, scraped as in a cluster, but more often. */
class WatchedService implements AsyncDisposable {
  readonly #service: ServiceProcess;
  readonly #url: string;
  readonly #stopped = new AbortController();
  readonly #watched: Promise<void>;
  #exit: Exit | undefined;
  /** The most heap in use at a scrape. */
  largestHeapMB = 0;
  largestResidentMB = 0;
  /** The number of records that were taken from the certificate topics and tiers. */
  recordsConsumed = 0;

  /** Use `startWatchedService`. */
  constructor(service: ServiceProcess, url: string) {
    this.#service = service;
    this.#url = url;
    void service.exited().then((exit) => {
      this.#exit = exit;
    });
    this.#watched = this.#takeSamples();
  }

  /** Waits until the condition is true. Rejects at once if the process has ended. */
  async until(what: string, isTrue: () => boolean, withinMs = 60_000): Promise<void> {
    const ask = (): Promise<boolean> => {
      if (this.#exit !== undefined) throw new Error(`The service ended before this: ${what}. ${this.#lastWords}`);
      return Promise.resolve(isTrue());
    };
    await eventually(what, ask, { withinMs });
  }

  /** Ends the service as a deployment does. */
  async stop(): Promise<Exit> {
    this.#stopped.abort();
    await this.#watched;
    this.#service.signal('SIGTERM');
    return this.#service.exited();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#service[Symbol.asyncDispose]();
    await this.#watched;
  }

  async #takeSamples(): Promise<void> {
    const { signal } = this.#stopped;
    try {
      await poll(() => this.#takeSample(), { withinMs: Number.POSITIVE_INFINITY, everyMs: sampleEveryMs, signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Resolves to false, so that the next sample follows. */
  async #takeSample(): Promise<false> {
    try {
      const signal = AbortSignal.timeout(answerWithinMs);
      const response = await fetch(this.#url, { headers: { connection: 'close' }, signal });
      const metrics = await response.text();
      const [heap, resident] = ['nodejs_heap_size_used_bytes', 'process_resident_memory_bytes'].map((name) =>
        sumOf(metrics, name),
      );
      this.largestHeapMB = Math.max(this.largestHeapMB, Number(heap) / 1e6);
      this.largestResidentMB = Math.max(this.largestResidentMB, Number(resident) / 1e6);
      this.recordsConsumed = sumOf(metrics, 'certificate_webhooks_records_consumed_total');
    } catch {
      // Nothing listens yet.
    }
    return false;
  }

  /** The fatal error of Node.js, or the last log line. */
  get #lastWords(): string {
    const { errors, output } = this.#service;
    return errors.find((line) => line.includes('FATAL ERROR')) ?? output.at(-1) ?? '';
  }
}

/** Returns the sum of a metric over its labels. NaN without a sample would fail each bound. */
function sumOf(metrics: string, name: string): number {
  const values = [...metrics.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (.+)$`, 'gm'))].map(([, value]) =>
    Number(value),
  );
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0);
}
