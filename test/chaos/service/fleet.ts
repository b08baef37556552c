import type { Environment } from '../../../src/settings.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import { attemptsByOutcome } from '../../support/service/attempts-by-outcome.ts';
import type { Exit } from '../../support/processes/program.ts';
import type { Disruption } from '../evidence/evidence.ts';
import { sessionTimeoutMs } from '../experiment/service-environment.ts';
import { Instance } from './instance.ts';

/** More than `SHUTDOWN_GRACE`, because the machine is busy. */
const maxStopMs = 60_000;

/** The instances of the service, the disruptions injected into them, and their unexpected exits. */
export class Fleet implements AsyncDisposable {
  readonly #disruptions: Disruption[] = [];
  readonly #unexpectedExits: string[] = [];
  readonly #environment: Environment;
  readonly #instances: Instance[] = [];
  /** Instances that were killed or stopped by the test. */
  readonly #endedOnPurpose = new Set<Instance>();
  #started = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Also the pauses of about a session that the processes noticed by themselves. A busy machine makes them, too. */
  get disruptions(): readonly Disruption[] {
    const lines = this.#instances.flatMap(({ output }) => output.filter((line) => line.includes('ProcessPausedError')));
    const ends = lines.map((line) => Date.parse((JSON.parse(line) as { readonly time: string }).time));
    const pauses = ends.map((to) => ({ from: to - 2 * sessionTimeoutMs, to }));
    const unexpected = pauses.filter(({ from }) => !this.#disruptions.some(({ to }) => to >= from));
    return [...this.#disruptions, ...unexpected];
  }

  /** The exits that no fault explains. Each is a violation. */
  get unexpectedExits(): readonly string[] {
    return this.#unexpectedExits;
  }

  /** The instances with a process, including frozen ones. */
  get running(): readonly Instance[] {
    return this.#instances.filter(({ exit }) => exit === undefined);
  }

  /** The last log lines of every instance, including exited ones, for error messages. */
  get lastLogLines(): string {
    return this.#instances.map(({ number, lastLogLines }) => `Instance ${number} logged:\n${lastLogLines}`).join('\n');
  }

  /** Starts an instance without waiting until it is ready. */
  async start(): Promise<Instance> {
    this.#started += 1;
    const number = this.#started;
    const httpPort = await findFreePorts(1);
    const instance = new Instance({ number, environment: this.#environment, httpPort });
    this.#instances.push(instance);
    void instance.exited().then((exit) => this.#recordExit(instance, exit));
    return instance;
  }

  /** Sends SIGKILL. Resolves once the process has ended. */
  async kill(instance: Instance): Promise<void> {
    this.#endedOnPurpose.add(instance);
    instance.signal('SIGKILL');
    this.recordDisruption();
    await instance.exited();
  }

  /** Sends SIGSTOP. The process keeps its connections and does nothing until `thaw`. */
  freeze(instance: Instance): void {
    instance.signal('SIGSTOP');
    this.recordDisruption();
  }

  thaw(instance: Instance): void {
    instance.signal('SIGCONT');
  }

  /** Blocks the event loop of the instance for `CHAOS_STALL_MS`. Resolves once it is blocked. */
  async stall(instance: Instance): Promise<void> {
    this.recordDisruption(await instance.stall());
  }

  /** Sends SIGTERM. Resolves once the process has ended. Another exit code than zero is a violation. */
  async stop(instance: Instance): Promise<void> {
    this.#endedOnPurpose.add(instance);
    const { code, signal } = await instance.stop(maxStopMs);
    // A process that is still starting has no signal handler and ends by the signal itself.
    if (code === 0 || signal === 'SIGTERM') return;
    this.#recordUnexpected(instance, signal ?? code);
  }

  /** Returns the attempts that all instances have counted, by outcome. Undefined if one of them has ended. */
  async attemptsByOutcome(): Promise<ReadonlyMap<string, number> | undefined> {
    if (this.running.length < this.#instances.length) return undefined;
    const counts = new Map<string, number>();
    for (const instance of this.#instances) {
      for (const [outcome, count] of attemptsByOutcome(await instance.metrics())) {
        counts.set(outcome, (counts.get(outcome) ?? 0) + count);
      }
    }
    return counts;
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.running.map((instance) => this.stop(instance)));
  }

  /** Records a period in which the service may lose, and later repeat, what it has not committed. */
  recordDisruption(from = Date.now(), to = from): void {
    this.#disruptions.push({ from, to });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const instance of this.running) this.#endedOnPurpose.add(instance);
    await Promise.all(this.#instances.map((instance) => instance[Symbol.asyncDispose]()));
  }

  #recordExit(instance: Instance, { code, signal }: Exit): void {
    if (!this.#endedOnPurpose.has(instance)) this.#recordUnexpected(instance, signal ?? code);
  }

  #recordUnexpected({ number, lastLogLines }: Instance, end: number | string | null): void {
    this.#unexpectedExits.push(`instance ${number} ended with ${end}: ${lastLogLines}`);
  }
}
