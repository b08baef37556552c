import type { Burst } from './burst.ts';

/** How much is asked of the service. */
export interface Scale {
  readonly rounds: number;
  readonly endpoints: number;
  /** Certificates. */
  readonly steadyPerSecond: number;
  /** How long others are in trouble first, and how long all are well then. */
  readonly beforeMs: number;
  readonly recoveryMs: number;
  /** How long the trouble lasts until it is measured what it costs, and then. */
  readonly warmUpMs: number;
  readonly steadyMs: number;
  /** For all in turn. */
  readonly backlog: number;
  readonly burst: Burst;
}

export const full: Scale = {
  rounds: 5,
  endpoints: 2000,
  steadyPerSecond: 200,
  // An endpoint in trouble holds a request for ten seconds: with less, the code for failures would be compiled later.
  beforeMs: 25_000,
  // An endpoint has something to do every ten seconds, and is in doubt until then.
  recoveryMs: 15_000,
  warmUpMs: 15_000,
  steadyMs: 40_000,
  backlog: 60_000,
  burst: { certificates: 100_000, singlesPerSecond: 50, warmUpMs: 10_000, beforeMs: 20_000, duringMs: 8000 },
};

/** To see that it works. */
export const small: Scale = {
  ...full,
  rounds: 1,
  endpoints: 200,
  beforeMs: 3000,
  recoveryMs: 3000,
  warmUpMs: 3000,
  steadyMs: 5000,
  backlog: 2000,
  burst: { certificates: 5000, singlesPerSecond: 50, warmUpMs: 3000, beforeMs: 5000, duringMs: 3000 },
};
