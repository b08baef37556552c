/** The amount of everything that is measured: as much as ten minutes allow for all scenarios. */
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

export const scale: Scale = {
  rounds: 3,
  owners: 1000,
  warmUp: 10_000,
  measured: 20_000,
  steadyPerSecond: 1000,
  steadyMs: 10_000,
  idleMs: 5000,
  configurations: 1_000_000,
};
