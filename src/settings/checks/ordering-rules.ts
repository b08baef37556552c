import { formatDuration } from '../../lib/units.ts';
import type { Problem } from '../problem.ts';
import type { Values, VariableName } from '../variables.ts';

/** Returns a problem for each limit that is too large compared with another. */
export function orderingProblems(values: Partial<Values>): readonly Problem[] {
  return orderingRules.flatMap(({ lesser, greater, margin, expected, print }) => {
    const [value, limit] = [values[lesser], values[greater]];
    if (value === undefined || limit === undefined || value + margin <= limit) return [];
    return [{ variable: lesser, found: print(value), expected: `${expected} ${greater}, which is ${print(limit)}` }];
  });
}

/** Variables whose values are numbers. Durations are in milliseconds. */
type NumberName = { [Name in VariableName]: Values[Name] extends number ? Name : never }[VariableName];

interface OrderingRule {
  readonly lesser: NumberName;
  readonly greater: NumberName;
  /** The least difference between the two. */
  readonly margin: number;
  readonly expected: string;
  readonly print: (value: number) => string;
}

const orderingRules: readonly OrderingRule[] = [
  {
    lesser: 'DELIVERY_CONNECT_TIMEOUT',
    greater: 'DELIVERY_TIMEOUT',
    margin: 1,
    expected: 'less than',
    print: formatDuration,
  },
  // A delivery that starts just before shutdown takes its whole timeout. Its retry and the commit need 5 s more.
  {
    lesser: 'DELIVERY_TIMEOUT',
    greater: 'SHUTDOWN_GRACE',
    margin: 5_000,
    expected: 'at least 5s less than',
    print: formatDuration,
  },
  {
    lesser: 'DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT',
    greater: 'DELIVERY_MAX_IN_FLIGHT',
    margin: 0,
    expected: 'at most',
    print: String,
  },
  {
    lesser: 'DELIVERY_MAX_WAITING_PER_ENDPOINT',
    greater: 'INTAKE_MAX_RECORDS',
    margin: 0,
    expected: 'at most',
    print: String,
  },
];
