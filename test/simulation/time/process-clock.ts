import type { Clock } from '../../../src/lib/clock.ts';

interface Task {
  readonly run: () => void;
  isCancelled: boolean;
}

/**
 * The event loop of one simulated process. Its timers and the responses to its requests all pass through here.
 *
 * | State   | A task that is due              | Left by                      |
 * | ------- | ------------------------------- | ---------------------------- |
 * | running | runs                            | `stall`, `kill`              |
 * | stalled | is kept until the stall is over | the end of the stall, `kill` |
 * | killed  | is dropped                      | never                        |
 *
 * - Kept tasks run in the order in which they were due, each in its own turn of the event loop.
 * - A task that is cancelled during a stall does not run.
 * - Time goes on during a stall: `now` follows the global clock, as in a real process.
 *
 * Brokers and endpoints use the global clock instead. Otherwise a kill would also stop requests that were already sent.
 * No simulation would then have a record that was written but never acknowledged.
 */
export class ProcessClock implements Clock {
  readonly #globalClock: Clock;
  #state: 'running' | 'stalled' | 'killed' = 'running';
  #missed: Task[] = [];

  constructor(globalClock: Clock) {
    this.#globalClock = globalClock;
  }

  get isKilled(): boolean {
    return this.#state === 'killed';
  }

  now(): number {
    return this.#globalClock.now();
  }

  after(ms: number, run: () => void): Disposable {
    const task: Task = { run, isCancelled: false };
    const timer = this.#globalClock.after(ms, () => this.#runOrKeep(task));
    return {
      [Symbol.dispose]: () => {
        task.isCancelled = true;
        timer[Symbol.dispose]();
      },
    };
  }

  /** Runs a task inside the process now, or after a stall. */
  run(run: () => void): void {
    this.#runOrKeep({ run, isCancelled: false });
  }

  /** Stops the process for `ms`. The tasks that were due in that time then run in order. */
  stall(ms: number): void {
    if (this.#state !== 'running') return;
    this.#state = 'stalled';
    this.#globalClock.after(ms, () => this.#wake());
  }

  kill(): void {
    this.#state = 'killed';
    this.#missed = [];
  }

  #wake(): void {
    if (this.#state !== 'stalled') return;
    this.#state = 'running';
    const missed = this.#missed;
    this.#missed = [];
    // Each task gets its own turn of the event loop, as in Node.
    for (const task of missed) this.#globalClock.after(0, () => this.#runOrKeep(task));
  }

  #runOrKeep(task: Task): void {
    switch (this.#state) {
      case 'running':
        if (!task.isCancelled) task.run();
        return;
      case 'stalled':
        this.#missed.push(task);
        return;
      case 'killed':
    }
  }
}
