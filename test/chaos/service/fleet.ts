import type { Environment } from '../../../src/settings.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import type { Exit } from '../../support/service/service-process.ts';
import type { Disruption } from '../evidence/evidence.ts';
import { Instance } from './instance.ts';

/** More than the grace that it has, on a busy machine. */
const longestStopMs = 60_000;

/** The instances of the service, what was done to them, and what they did that nobody asked for. */
export class Fleet implements AsyncDisposable {
  readonly #disruptions: Disruption[] = [];
  readonly #misdeeds: string[] = [];
  readonly #environment: Environment;
  readonly #all: Instance[] = [];
  /** Those that were told to end. */
  readonly #released = new Set<Instance>();
  #started = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  get disruptions(): readonly Disruption[] {
    return this.#disruptions;
  }

  /** What no instance may do, whatever happens around it. */
  get misdeeds(): readonly string[] {
    return this.#misdeeds;
  }

  /** Those whose process runs, frozen ones included. */
  get running(): readonly Instance[] {
    return this.#all.filter(({ isOver }) => !isOver);
  }

  /** The last lines of each log, also of those that have ended, for messages. */
  get lastWords(): string {
    return this.#all.map(({ number, lastWords }) => `Instance ${number} said:\n${lastWords}`).join('\n');
  }

  /** Does not wait until it is ready. */
  async start(): Promise<Instance> {
    this.#started += 1;
    const number = this.#started;
    const httpPort = await findFreePorts(1);
    const environment = this.#environment;
    const instance = new Instance({ number, environment, httpPort, onExit: (exit) => this.#note(number, exit) });
    this.#all.push(instance);
    return instance;
  }

  /** SIGKILL, at once. */
  async kill(instance: Instance): Promise<void> {
    this.#released.add(instance);
    instance.signal('SIGKILL');
    this.disrupted();
    await instance.exited;
  }

  /** SIGSTOP: it keeps its connections and does nothing, until it is thawed. */
  freeze(instance: Instance): void {
    instance.signal('SIGSTOP');
    this.disrupted();
  }

  thaw(instance: Instance): void {
    instance.signal('SIGCONT');
  }

  /** Its event loop stands still for as long as it was started with. */
  stall(instance: Instance): void {
    instance.signal('SIGUSR2');
    this.disrupted();
  }

  /** SIGTERM; resolves once it is over, and minds how. */
  async stop(instance: Instance): Promise<void> {
    this.#released.add(instance);
    instance.signal('SIGTERM');
    const overdue = setTimeout(() => instance.signal('SIGKILL'), longestStopMs);
    const { code, signal } = await instance.exited;
    clearTimeout(overdue);
    // Before it listens to signals it has not begun anything, and ends by the signal itself.
    if (code === 0 || signal === 'SIGTERM') return;
    this.#misdeeds.push(`instance ${instance.number} left with ${signal ?? code}: ${instance.lastWords}`);
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.running.map((instance) => this.stop(instance)));
  }

  /** Something happens now that lets the service repeat what it has not committed. */
  disrupted(from = Date.now(), to = from): void {
    this.#disruptions.push({ from, to });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const instance of this.running) {
      this.#released.add(instance);
      instance.signal('SIGKILL');
    }
    await Promise.all(this.#all.map(({ exited }) => exited));
  }

  #note(number: number, { code, signal }: Exit): void {
    const instance = this.#all.find((one) => one.number === number);
    if (instance === undefined || this.#released.has(instance)) return;
    this.#misdeeds.push(`instance ${number} ended by itself (${signal ?? code}): ${instance.lastWords}`);
  }
}
