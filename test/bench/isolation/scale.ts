import type { Burst } from './burst.ts';

/** How much is asked of the service. */
export interface Scale {
  readonly rounds: number;
  readonly endpoints: number;
  /** Certificates. */
  readonly steadyPerSecond: number;
  /** How long the service runs before the trouble comes, how long with it until it is measured, and then. */
  readonly beforeMs: number;
  readonly warmUpMs: number;
  readonly steadyMs: number;
  readonly backlog: number;
  readonly burst: Burst;
}

export const full: Scale = {
  rounds: 5,
  endpoints: 2000,
  steadyPerSecond: 200,
  // Endpoints in trouble hold a request for ten seconds: less would leave the code of failures half compiled.
  beforeMs: 45_000,
  warmUpMs: 15_000,
  // A collection of all garbage comes every twenty seconds or so, and stops forty records: p99 wants several of them.
  steadyMs: 45_000,
  backlog: 60_000,
  burst: { certificates: 100_000, singlesPerSecond: 50, warmUpMs: 10_000, beforeMs: 20_000, duringMs: 8000 },
};

/** To see that it works. */
export const small: Scale = {
  ...full,
  rounds: 1,
  endpoints: 200,
  beforeMs: 3000,
  warmUpMs: 3000,
  steadyMs: 5000,
  backlog: 2000,
  burst: { certificates: 5000, singlesPerSecond: 50, warmUpMs: 3000, beforeMs: 5000, duringMs: 3000 },
};
