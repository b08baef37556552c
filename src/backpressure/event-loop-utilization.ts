import { performance, type EventLoopUtilization } from 'node:perf_hooks';

type Measure = (now?: EventLoopUtilization, previous?: EventLoopUtilization) => EventLoopUtilization;

/** Shortest time in ms that a measurement covers: long enough to mean something, short enough to see a backlog begin. */
const windowMs = 20;
/**
 * The part of the time in use from which new work waits for several turns of the event loop. With 0.9, single
 * certificates beside a burst were 42 to 163 ms later at p99; with 0.7, 26 to 84 ms.
 */
const saturatedFrom = 0.7;

/** Measures the event loop each time it is asked, over the time since the last measurement. It has no timer. */
export class EventLoopWatch {
  readonly #measure: Measure;
  #previous: EventLoopUtilization;
  #isSaturated = false;

  constructor(measure: Measure = (now, previous) => performance.eventLoopUtilization(now, previous)) {
    this.#measure = measure;
    this.#previous = measure();
  }

  /** True if the event loop had little idle time in the last `windowMs` or more. */
  get isSaturated(): boolean {
    const now = this.#measure();
    const { idle, active, utilization } = this.#measure(now, this.#previous);
    if (idle + active >= windowMs) {
      this.#isSaturated = utilization >= saturatedFrom;
      this.#previous = now;
    }
    return this.#isSaturated;
  }
}
