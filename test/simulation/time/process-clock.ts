import type { Clock } from '../../../src/lib/clock.ts';

interface Task {
  readonly run: () => void;
  isOff: boolean;
}

/**
 * The event loop of one simulated process. Timers and answers reach the process through it, so that it can be stalled,
 * and so that a process that was killed never does anything again.
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
    const task: Task = { run, isOff: false };
    const timer = this.#globalClock.after(ms, () => this.#meet(task));
    return {
      [Symbol.dispose]: () => {
        task.isOff = true;
        timer[Symbol.dispose]();
      },
    };
  }

  /** Does something inside the process, as soon as it can. */
  run(run: () => void): void {
    this.#meet({ run, isOff: false });
  }

  /** Nothing happens for that long; all that was missed happens then, in order. */
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
    // A turn of the event loop each, as it would be.
    for (const task of missed) this.#globalClock.after(0, () => this.#meet(task));
  }

  #meet(task: Task): void {
    switch (this.#state) {
      case 'running':
        if (!task.isOff) task.run();
        return;
      case 'stalled':
        this.#missed.push(task);
        return;
      case 'killed':
    }
  }
}
