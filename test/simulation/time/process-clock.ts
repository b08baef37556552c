import type { Clock } from '../../../src/lib/clock.ts';
import { Queue } from '../../../src/lib/queue.ts';

interface Task {
  readonly kind: 'timer' | 'answer';
  readonly run: () => void;
  isCancelled: boolean;
}

/**
 * The event loop of one simulated process. Its timers and the responses to its requests all pass through here.
 *
 * | State   | A task that is due               | Left by                              |
 * | ------- | -------------------------------- | ------------------------------------ |
 * | running | runs                             | `spend` → busy, `stall`, `kill`      |
 * | busy    | is kept until the work is done   | the end of the work, `stall`, `kill` |
 * | stalled | is kept until the stall is over  | the end of the stall, `kill`         |
 * | killed  | is dropped                       | never                                |
 *
 * - Kept tasks run in the order in which they were due, each in its own turn of the event loop. After a stall the answers come
 *   before the timers. A process is stopped in the poll phase of its event loop, and the timers' phase follows that.
 * - A task that is cancelled while it is kept does not run.
 * - Time goes on during a stall and during work: `now` follows the global clock, as in a real process.
 * - Work takes processor time only where `spend` says so. The random simulations never call it, so their code is
 *   infinitely fast.
 *
 * Brokers and endpoints use the global clock instead. Otherwise a kill would also stop requests that were already sent.
 * No simulation would then have a record that was written but never acknowledged.
 */
export class ProcessClock implements Clock {
  readonly #globalClock: Clock;
  #state: 'running' | 'stalled' | 'killed' = 'running';
  #missed: Task[] = [];
  /** The tasks that became due while the process was busy. */
  readonly #waiting = new Queue<Task>();
  #busyUntil = Number.NEGATIVE_INFINITY;
  #turn = 0;
  readonly #startedAt: number;
  #wallOffsetMs = 0;

  constructor(globalClock: Clock) {
    this.#globalClock = globalClock;
    this.#startedAt = globalClock.monotonic();
  }

  get isKilled(): boolean {
    return this.#state === 'killed';
  }

  /** Counts the turns of the event loop. One task is one turn, with everything that follows from it at once. */
  get turn(): number {
    return this.#turn;
  }

  /** Returns whole milliseconds, as `Date.now` does. */
  now(): number {
    return Math.floor(this.#globalClock.now() + this.#wallOffsetMs);
  }

  /** Starts at zero with the process. */
  monotonic(): number {
    return Math.floor(this.#globalClock.monotonic() - this.#startedAt);
  }

  /** Sets the wall clock of this process forward, or back if `ms` is negative. */
  jump(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  after(ms: number, run: () => void): Disposable {
    const task: Task = { kind: 'timer', run, isCancelled: false };
    const timer = this.#globalClock.after(ms, () => this.#runOrKeep(task));
    return {
      [Symbol.dispose]: () => {
        task.isCancelled = true;
        timer[Symbol.dispose]();
      },
    };
  }

  /** Hands an answer to the process now, or after a stall. */
  run(run: () => void): void {
    this.#runOrKeep({ kind: 'answer', run, isCancelled: false });
  }

  /** Stops the process for `ms`. The tasks that were due in that time run after it. */
  stall(ms: number): void {
    if (this.#state !== 'running') return;
    this.#state = 'stalled';
    this.#globalClock.after(ms, () => this.#wake());
  }

  /** Keeps the process busy for `ms` longer. Returns the time of the global clock at which this work is done. */
  spend(ms: number): number {
    this.#busyUntil = Math.max(this.#busyUntil, this.#globalClock.now()) + ms;
    return this.#busyUntil;
  }

  kill(): void {
    this.#state = 'killed';
    this.#missed = [];
    this.#waiting.clear();
  }

  #wake(): void {
    if (this.#state !== 'stalled') return;
    this.#state = 'running';
    const { answer = [], timer = [] } = Object.groupBy(this.#missed, ({ kind }) => kind);
    this.#missed = [];
    // Each task gets its own turn of the event loop, as in Node.
    for (const task of [...answer, ...timer]) this.#globalClock.after(0, () => this.#runOrKeep(task));
    if (this.#waiting.length > 0) this.#runNextWhenIdle();
  }

  get #isBusy(): boolean {
    return this.#globalClock.now() < this.#busyUntil;
  }

  #runNextWhenIdle(): void {
    this.#globalClock.after(this.#busyUntil - this.#globalClock.now(), () => this.#runNext());
  }

  #runNext(): void {
    if (this.#state !== 'running') return;
    // The turn before has spent more time since this one was scheduled.
    if (this.#isBusy) return this.#runNextWhenIdle();
    const task = this.#waiting.shift();
    if (task !== undefined) this.#run(task);
    if (this.#waiting.length > 0) this.#runNextWhenIdle();
  }

  #run(task: Task): void {
    if (task.isCancelled) return;
    this.#turn += 1;
    task.run();
  }

  #runOrKeep(task: Task): void {
    switch (this.#state) {
      case 'running':
        if (!this.#isBusy && this.#waiting.length === 0) return this.#run(task);
        this.#waiting.push(task);
        if (this.#waiting.length === 1) this.#runNextWhenIdle();
        return;
      case 'stalled':
        this.#missed.push(task);
        return;
      case 'killed':
    }
  }
}
