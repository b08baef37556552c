/** The amount of everything that is measured. */
export interface Scale {
  readonly rounds: number;
  readonly owners: number;
  /** Deliveries of a backlog before the measured ones, and measured deliveries. */
  readonly warmUp: number;
  readonly measured: number;
  readonly steadyPerSecond: number;
  readonly steadyMs: number;
  readonly idleMs: number;
  readonly configurations: number;
}

export const full: Scale = {
  rounds: 5,
  owners: 1000,
  warmUp: 20_000,
  measured: 60_000,
  steadyPerSecond: 1000,
  steadyMs: 20_000,
  idleMs: 20_000,
  configurations: 1_000_000,
};

/** Enough to see that a delivery costs more than it did. */
export const short: Scale = {
  ...full,
  rounds: 3,
  warmUp: 15_000,
  measured: 30_000,
  steadyMs: 5000,
  idleMs: 5000,
  configurations: 20_000,
};
