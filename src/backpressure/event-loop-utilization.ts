import { performance, type EventLoopUtilization } from 'node:perf_hooks';

type Measure = (now?: EventLoopUtilization, seen?: EventLoopUtilization) => EventLoopUtilization;

/** Long enough to tell, short enough to see a backlog begin. */
const windowMs = 20;
/** Busier than that, what comes has to wait for several turns. */
const saturatedFrom = 0.7;

/** Looks at the event loop when it is asked, and then at the time since it was asked before. */
export class EventLoopWatch {
  readonly #measure: Measure;
  #seen: EventLoopUtilization;
  #isSaturated = false;

  constructor(measure: Measure = (now, seen) => performance.eventLoopUtilization(now, seen)) {
    this.#measure = measure;
    this.#seen = measure();
  }

  /** Whether the event loop had little time without work lately. */
  get isSaturated(): boolean {
    const now = this.#measure();
    const { idle, active, utilization } = this.#measure(now, this.#seen);
    if (idle + active >= windowMs) {
      this.#isSaturated = utilization >= saturatedFrom;
      this.#seen = now;
    }
    return this.#isSaturated;
  }
}
