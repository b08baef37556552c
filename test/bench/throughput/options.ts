import { parseArgs } from 'node:util';

export interface Options {
  readonly short: boolean;
  /** Names of scenarios. An empty list stands for all. */
  readonly only: readonly string[];
  /** A commit, branch or tag to measure as well. */
  readonly compare: string | undefined;
  /** Measures time, counts what a delivery allocates and asks for, or profiles the service. */
  readonly mode: 'measure' | 'count' | 'profile';
  readonly baseline: 'check' | 'record' | 'ignore';
}

export const usage = `Usage: npm run bench [-- OPTIONS]

Measures the cost of a delivery and prints it. A complete run at full scale
writes docs/performance.md, with its figures.

  --short          fewer rounds, with fewer deliveries
  --only SCENARIO  only this scenario; may be given several times
  --compare REF    also measures the service at that commit, branch or tag,
                   and reports the differences
  --profile        runs the service under V8's profilers, and prints where its
                   time goes and what allocates on its heap
  --count          counts heap bytes, promises, timers, Kafka requests and, with
                   strace, system calls per delivery; these hardly depend on the
                   machine
  --check          ends with 1 if the CPU per delivery exceeds the baseline by
                   more than a quarter, or a count by more than 5 %
  --record         writes the baseline`;

/** Throws on unknown options, and on options that exclude each other. */
export function readOptions(
  parameters: readonly string[],
  { scenarios }: { readonly scenarios: readonly string[] },
): Options {
  const values = parse(parameters);
  const { short, only, compare, check, record } = values;
  const unknown = only.find((name) => !scenarios.includes(name));
  if (unknown !== undefined)
    throw new Error(`--only ${unknown}: no such scenario. Scenarios: ${scenarios.join(', ')}.`);
  if (check && record) throw new Error('--check and --record exclude each other.');
  return { short, only, compare, mode: modeOf(values), baseline: baselineOf(check, record) };
}

/** Returns true if the results are for the page. */
export function isComplete({ short, only, compare }: Options): boolean {
  return !short && only.length === 0 && compare === undefined;
}

function modeOf({ profile, count, check, record, compare }: ReturnType<typeof parse>): Options['mode'] {
  if (profile && (check || record || compare !== undefined))
    throw new Error('--profile excludes --compare, --check and --record: a profiler slows the service down.');
  if (count && (profile || compare !== undefined)) throw new Error('--count excludes --profile and --compare.');
  if (count) return 'count';
  return profile ? 'profile' : 'measure';
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
      count: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
    },
  });
  return { compare: undefined, ...values };
}
