import type { Burst } from './burst.ts';

/** The amount of everything that is measured. */
export interface Scale {
  readonly rounds: number;
  readonly endpoints: number;
  /** Certificates per second of the steady load. */
  readonly steadyPerSecond: number;
  /** The duration of the earlier fault, and of the recovery from it. */
  readonly earlierFaultMs: number;
  readonly recoveryMs: number;
  /** The time from the start of the fault to the measurement, and the duration of the measurement. */
  readonly warmUpMs: number;
  readonly steadyMs: number;
  /** Certificates that go to all endpoints in turn. */
  readonly backlog: number;
  readonly burst: Burst;
}

export const full: Scale = {
  rounds: 5,
  endpoints: 2000,
  steadyPerSecond: 200,
  // A failing endpoint holds a request for ten seconds. V8 would compile the code for failures later if this were shorter.
  earlierFaultMs: 25_000,
  // Each endpoint gets a request every ten seconds, and stays suspect until one succeeds.
  recoveryMs: 15_000,
  warmUpMs: 15_000,
  steadyMs: 40_000,
  backlog: 60_000,
  burst: { certificates: 100_000, singlesPerSecond: 50, warmUpMs: 10_000, beforeMs: 20_000, duringMs: 8000 },
};

/** Enough to see that the benchmark works. */
export const small: Scale = {
  ...full,
  rounds: 1,
  endpoints: 200,
  earlierFaultMs: 3000,
  recoveryMs: 3000,
  warmUpMs: 3000,
  steadyMs: 5000,
  backlog: 2000,
  burst: { certificates: 5000, singlesPerSecond: 50, warmUpMs: 3000, beforeMs: 5000, duringMs: 3000 },
};
