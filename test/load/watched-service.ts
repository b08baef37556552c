import type { Environment } from '../../src/settings.ts';
import { findFreePorts } from '../support/kafka/cluster/ports.ts';
import { ServiceProcess, type Exit } from '../support/service/service-process.ts';
import { eventually, poll } from '../support/time/eventually.ts';

/**
 * Options of Node.js under the chart's memory limit of 1 GiB. The image gives 70 % of that to the heap. Its flag that lets
 * more garbage collect is left out, so that the heap in use stays near what the service holds.
 */
const nodeOptions = '--max-old-space-size=716 --max-semi-space-size=16 --v8-pool-size=1';
const sampleEveryMs = 200;
/** The time limit for an answer. It is longer than any silence that a test allows. */
const answerWithinMs = 30_000;

/** Values from one probe and one scrape. */
interface Sample {
  /** Time until `/livez` answered. It is infinite if there was no answer. */
  readonly livezMs: number;
  /** CPU time of the process since its start. */
  readonly cpuMs: number;
  readonly heapBytes: number;
  readonly residentBytes: number;
  readonly recordsConsumed: number;
  /** The longest delay of the event loop since the previous scrape. */
  readonly lagMs: number;
}

/** Starts the service in a process with the heap of the chart, and samples it until it is stopped. */
export async function startWatchedService(environment: Environment): Promise<WatchedService> {
  const port = await findFreePorts(1);
  const service = new ServiceProcess({ ...environment, NODE_OPTIONS: nodeOptions, HTTP_PORT: String(port) });
  return new WatchedService(service, `http://127.0.0.1:${port}`);
}

/** The service in a process of its own, probed and scraped as in a cluster, but more often. */
export class WatchedService implements AsyncDisposable {
  readonly #service: ServiceProcess;
  readonly #url: string;
  readonly #stopped = new AbortController();
  readonly #watched: Promise<void>;
  #samples: Sample[] = [];
  #exit: Exit | undefined;

  /** Use `startWatchedService`. */
  constructor(service: ServiceProcess, url: string) {
    this.#service = service;
    this.#url = url;
    void service.exited().then((exit) => {
      this.#exit = exit;
    });
    this.#watched = this.#takeSamples();
  }

  /** Resolves to the CPU time in ms that the process has used when both consumer groups have joined. */
  async ready(): Promise<number> {
    await this.#service.ready();
    return valueOf(await this.#get('/metrics'), 'process_cpu_seconds_total') * 1000;
  }

  /** Waits until the condition is true. Rejects at once if the process has ended. */
  async until(what: string, isTrue: () => boolean, withinMs = 60_000): Promise<void> {
    const ask = (): Promise<boolean> => {
      if (this.#exit !== undefined) throw new Error(`The service ended before this: ${what}. ${this.#lastWords}`);
      return Promise.resolve(isTrue());
    };
    await eventually(what, ask, { withinMs });
  }

  /** Drops the samples so far. Resolves once the metrics begin a new period. */
  async restartSamples(): Promise<void> {
    await this.#get('/metrics');
    this.#samples = [];
  }

  get longestSilenceMs(): number {
    return Math.max(...this.#samples.map(({ livezMs }) => livezMs));
  }

  /**
   * The most CPU time that the process used from one sample to the next. On a busy machine it says more than the longest
   * silence, because it leaves out the time in which other processes ran.
   */
  get longestWorkMs(): number {
    const times = this.#samples.map(({ cpuMs }) => cpuMs);
    return Math.max(...times.slice(1).map((cpuMs, index) => cpuMs - (times[index] ?? 0)));
  }

  get largestHeapMB(): number {
    return Math.max(...this.#samples.map(({ heapBytes }) => heapBytes)) / 1e6;
  }

  get largestResidentMB(): number {
    return Math.max(...this.#samples.map(({ residentBytes }) => residentBytes)) / 1e6;
  }

  /** The number of records that were taken from the certificate topics and tiers. */
  get recordsConsumed(): number {
    return this.#samples.at(-1)?.recordsConsumed ?? 0;
  }

  get longestLagMs(): number {
    return Math.max(...this.#samples.map(({ lagMs }) => lagMs));
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
    const startedAt = performance.now();
    try {
      await this.#get('/livez');
      const livezMs = performance.now() - startedAt;
      const metrics = await this.#get('/metrics');
      const cpuMs = valueOf(metrics, 'process_cpu_seconds_total') * 1000;
      const heapBytes = valueOf(metrics, 'nodejs_heap_size_used_bytes');
      const residentBytes = valueOf(metrics, 'process_resident_memory_bytes');
      const recordsConsumed = sumOf(metrics, 'certificate_webhooks_records_consumed_total');
      const lagMs = valueOf(metrics, 'nodejs_eventloop_lag_max_seconds') * 1000;
      this.#samples.push({ livezMs, cpuMs, heapBytes, residentBytes, recordsConsumed, lagMs });
    } catch {
      // Before the first sample nothing listens yet.
      const last = this.#samples.at(-1);
      if (last !== undefined) this.#samples.push({ ...last, livezMs: Number.POSITIVE_INFINITY });
    }
    return false;
  }

  async #get(path: string): Promise<string> {
    const signal = AbortSignal.timeout(answerWithinMs);
    const response = await fetch(`${this.#url}${path}`, { headers: { connection: 'close' }, signal });
    return response.text();
  }

  /** The fatal error of Node.js, or the last log line. */
  get #lastWords(): string {
    const { errors, output } = this.#service;
    return errors.find((line) => line.includes('FATAL ERROR')) ?? output.at(-1) ?? '';
  }
}

/** Returns the sum of a metric over its labels. */
function sumOf(metrics: string, name: string): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

function valueOf(metrics: string, name: string): number {
  const line = metrics.split('\n').find((text) => text.startsWith(`${name} `));
  if (line === undefined) throw new Error(`There is no metric ${name}.`);
  return Number(line.slice(name.length));
}
