/** How long and how often: `CHAOS=short` is what a change has to pass, anything else is the whole. */
export interface Scale {
  readonly name: 'short' | 'full';
  /** `CHAOS_SEED`, or one that is as good as any other. */
  readonly seed: number;
  readonly kills: number;
  readonly stormMs: number;
  /** How often a fault that has a beginning and an end is repeated. */
  readonly rounds: number;
  /** How long endpoints misbehave, and tiers refuse. */
  readonly sicknessMs: number;
  /** Deliveries to others while one endpoint hangs. */
  readonly backlog: number;
}

export function readScale(environment: NodeJS.ProcessEnv = process.env): Scale {
  const seed = Number(environment['CHAOS_SEED'] ?? Date.now() % 1_000_000);
  if (environment['CHAOS'] === 'short') {
    return { name: 'short', seed, kills: 4, stormMs: 25_000, rounds: 1, sicknessMs: 12_000, backlog: 10_000 };
  }
  return { name: 'full', seed, kills: 20, stormMs: 120_000, rounds: 3, sicknessMs: 40_000, backlog: 50_000 };
}
