import { parseArgs } from 'node:util';

export interface Options {
  readonly short: boolean;
  /** Names of scenarios. An empty list stands for all. */
  readonly only: readonly string[];
  /** A commit, branch or tag to measure as well. */
  readonly compare: string | undefined;
  /** Profiles the service instead of measuring it. */
  readonly profile: boolean;
  readonly baseline: 'check' | 'record' | 'ignore';
}

export const usage = `Usage: npm run bench [-- OPTIONS]

Measures the cost of a delivery and prints it. A complete run at full scale
writes docs/performance.md, with its plots and figures.

  --short          fewer rounds, with fewer deliveries
  --only SCENARIO  only this scenario; may be given several times
  --compare REF    also measures the service at that commit, branch or tag,
                   and reports the differences
  --profile        runs the service once under V8's profiler, and prints where
                   its time goes
  --check          ends with 1 if the CPU per delivery exceeds the baseline by
                   more than a quarter
  --record         writes the baseline`;

/** Throws on unknown options, and on options that exclude each other. */
export function readOptions(
  parameters: readonly string[],
  { scenarios }: { readonly scenarios: readonly string[] },
): Options {
  const { short, only, compare, profile, check, record } = parse(parameters);
  const unknown = only.find((name) => !scenarios.includes(name));
  if (unknown !== undefined)
    throw new Error(`--only ${unknown}: no such scenario. Scenarios: ${scenarios.join(', ')}.`);
  if (check && record) throw new Error('--check and --record exclude each other.');
  if (profile && (check || record || compare !== undefined))
    throw new Error('--profile excludes --compare, --check and --record: a profiler slows the service down.');
  return { short, only, compare, profile, baseline: baselineOf(check, record) };
}

/** Returns true if the results are for the page. */
export function isComplete({ short, only, compare }: Options): boolean {
  return !short && only.length === 0 && compare === undefined;
}

function baselineOf(check: boolean, record: boolean): Options['baseline'] {
  if (check) return 'check';
  return record ? 'record' : 'ignore';
}

function parse(parameters: readonly string[]) {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      short: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      compare: { type: 'string' },
      profile: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
    },
  });
  return { compare: undefined, ...values };
}
