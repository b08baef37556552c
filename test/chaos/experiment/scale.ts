/** The duration and number of faults. CI runs `CHAOS=short`; any other value runs the full suite. */
export interface Scale {
  readonly name: 'short' | 'full';
  /** `CHAOS_SEED`, or a seed from the clock. */
  readonly seed: number;
  readonly kills: number;
  readonly stormMs: number;
  /** Repetitions of a fault that has a start and an end. */
  readonly rounds: number;
  /** The time for which endpoints or tiers fail. */
  readonly failureMs: number;
}

export function readScale(environment: NodeJS.ProcessEnv = process.env): Scale {
  const seed = Number(environment['CHAOS_SEED'] ?? Date.now() % 1_000_000);
  if (environment['CHAOS'] === 'short') {
    return { name: 'short', seed, kills: 4, stormMs: 25_000, rounds: 1, failureMs: 12_000 };
  }
  return { name: 'full', seed, kills: 20, stormMs: 120_000, rounds: 3, failureMs: 40_000 };
}
