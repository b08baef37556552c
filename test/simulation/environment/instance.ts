import { pools, type Pool } from '../../../src/deliveries/delivery.ts';
import { drain } from '../../../src/service.ts';
import type { Reader } from '../../../src/service/readers.ts';
import { createMemoryKafka, type MemoryKafka } from '../broker/memory-kafka.ts';
import type { ProcessClock } from '../time/process-clock.ts';
import { startService, type ServiceOptions } from './start-service.ts';
import type { Endpoints } from './endpoints.ts';
import { OccupationCheck } from './occupation-check.ts';
import type { History } from '../history.ts';
import { recordHistory } from './recording.ts';

interface InstanceOptions extends Omit<ServiceOptions, 'http' | 'observers' | 'lingerMs'> {
  readonly endpoints: Endpoints;
  readonly history: History;
}

/** Short, because the shortest tiers of the scenarios are. */
const lingerMs = 10;

/**
 * One process of the service. A new process is a new instance.
 *
 * | State    | Left by                                                    |
 * | -------- | ---------------------------------------------------------- |
 * | running  | `stop` → stopping, `kill` → exited                         |
 * | stopping | the end of the shutdown → exited, `kill` → exited          |
 * | exited   | never: its clock is killed, so no code of it runs any more |
 *
 * `stall` and `crash` do not change the state. A stopped instance that stays in `stopping` is a violation of I10.
 */
export class Instance {
  readonly name: string;
  readonly #options: InstanceOptions;
  readonly #client: MemoryKafka;
  readonly #stopping = new AbortController();
  readonly #stack = new AsyncDisposableStack();
  #state: 'running' | 'stopping' | 'exited' = 'running';
  #readers: Readonly<Record<Pool, Reader>> | undefined;

  constructor(options: InstanceOptions) {
    this.#options = options;
    this.name = options.name;
    this.#client = createMemoryKafka(options.broker, options.connection);
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  get hasExited(): boolean {
    return this.#state === 'exited';
  }

  /** The number of records in flight. */
  get held(): number {
    return pools.reduce((sum, pool) => sum + (this.#readers?.[pool].flow.held.records ?? 0), 0);
  }

  async start(): Promise<void> {
    this.#recordChange('starts');
    const { signal } = this.#stopping;
    const { endpoints, history, ...options } = this.#options;
    this.#readers = await startService({
      ...options,
      http: endpoints.clientOf(this.name, this.#clock),
      observers: recordHistory(this.name, history),
      lingerMs,
      occupation: new OccupationCheck(),
      kafka: this.#client.kafka,
      signal,
      stack: this.#stack,
    });
    this.#recordChange('has started');
  }

  /** Ends the process at once, as SIGKILL does. */
  kill(): void {
    this.#recordChange('is killed');
    this.#state = 'exited';
    this.#clock.kill();
  }

  stall(ms: number): void {
    this.#recordChange(`stalls for ${ms} ms`);
    this.#clock.stall(ms);
  }

  /** Sets the wall clock forward, or back if `ms` is negative. */
  setClock(ms: number): void {
    this.#recordChange(`has its wall clock set by ${ms} ms`);
    this.#clock.jump(ms);
  }

  /** Makes the kafkajs consumer of one group fail. */
  crash(pool: Pool, restart: boolean): void {
    this.#recordChange(`has its ${pool} consumer crash`);
    const group = this.#options.settings.kafka.groupId;
    const ofPool = this.#client.consumers.filter(
      ({ groupId }) => groupId === (pool === 'first' ? group : `${group}.retry`),
    );
    ofPool.at(-1)?.crash(new Error('an error that kafkajs does not retry'), restart);
  }

  /** Drains and exits, as the service does after SIGTERM. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.#recordChange('is asked to stop');
    this.#state = 'stopping';
    this.#stopping.abort();
    const { graceMs } = this.#options.settings.shutdown;
    const readers = this.#readers;
    const drained = readers === undefined || (await drain([readers.first, readers.retry], graceMs));
    await this.#stack.disposeAsync();
    this.#recordChange(drained ? 'is drained' : 'exits undrained');
    // The process exits, and so does everything that still runs in it.
    this.#state = 'exited';
    this.#clock.kill();
  }

  get #clock(): ProcessClock {
    return this.#options.connection.clock;
  }

  #recordChange(change: string): void {
    this.#options.history.add({ kind: 'instance', instance: this.name, change });
  }
}
