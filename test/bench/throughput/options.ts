import { parseArgs } from 'node:util';

export interface Options {
  readonly short: boolean;
  /** Names of scenarios; all when there are none. */
  readonly only: readonly string[];
  /** A state of the code in git to measure as well. */
  readonly compare: string | undefined;
  /** Whether to say where the service's time goes, instead of what it comes to. */
  readonly profile: boolean;
  /** What to do about the baseline. */
  readonly baseline: 'check' | 'record' | 'ignore';
}

export const usage = `Usage: npm run bench [-- OPTIONS]

Measures what a delivery costs, and prints it. A complete run at full scale
writes docs/performance.md and its plots.

  --short          fewer rounds, with fewer deliveries
  --only SCENARIO  this one alone; may be given several times
  --compare REF    measures the service at that commit, branch or tag as well,
                   and says what differs
  --profile        runs the service once under a profiler, and prints what takes
                   its time; without --only and --short, for the page too
  --check          ends with 1 when a delivery has become dearer than the
                   baseline allows
  --record         writes the baseline`;

/** Throws on what it does not know. */
export function readOptions(
  parameters: readonly string[],
  { scenarios }: { readonly scenarios: readonly string[] },
): Options {
  const { short, only, compare, profile, check, record } = parse(parameters);
  const unknown = only.find((name) => !scenarios.includes(name));
  if (unknown !== undefined)
    throw new Error(`--only ${unknown}: there is no such scenario; there are ${scenarios.join(', ')}.`);
  if (check && record) throw new Error('--check and --record exclude each other.');
  if (profile && (check || record || compare !== undefined))
    throw new Error('--profile excludes --compare, --check and --record: a profiler slows down what it looks at.');
  return { short, only, compare, profile, baseline: baselineOf(check, record) };
}

/** Whether what comes of it is for the page. */
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
