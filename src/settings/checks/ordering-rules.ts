import { formatDuration } from '../../lib/duration.ts';
import type { Problem } from '../problem.ts';
import type { Values, VariableName } from '../variables.ts';

/** Limits and times that are right by themselves and not next to each other. */
export function orderProblems(values: Partial<Values>): readonly Problem[] {
  return orders.flatMap(({ lesser, greater, by, expected, print }) => {
    const [value, limit] = [values[lesser], values[greater]];
    if (value === undefined || limit === undefined || value + by <= limit) return [];
    return [{ variable: lesser, given: print(value), expected: `${expected} ${greater}, which is ${print(limit)}` }];
  });
}

/** Variables whose values are compared as numbers, in milliseconds where they are durations. */
type NumberName = { [Name in VariableName]: Values[Name] extends number ? Name : never }[VariableName];

interface Order {
  readonly lesser: NumberName;
  readonly greater: NumberName;
  /** By how much at least. */
  readonly by: number;
  readonly expected: string;
  readonly print: (value: number) => string;
}

const orders: readonly Order[] = [
  {
    lesser: 'DELIVERY_CONNECT_TIMEOUT',
    greater: 'DELIVERY_TIMEOUT',
    by: 1,
    expected: 'less than',
    print: formatDuration,
  },
  // A delivery that starts right before shutdown takes its whole time, and its handoff and commit some more.
  {
    lesser: 'DELIVERY_TIMEOUT',
    greater: 'SHUTDOWN_GRACE',
    by: 5_000,
    expected: 'at least 5s less than',
    print: formatDuration,
  },
  {
    lesser: 'DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT',
    greater: 'DELIVERY_MAX_IN_FLIGHT',
    by: 0,
    expected: 'at most',
    print: String,
  },
  {
    lesser: 'DELIVERY_MAX_WAITING_PER_ENDPOINT',
    greater: 'INTAKE_MAX_RECORDS',
    by: 0,
    expected: 'at most',
    print: String,
  },
];
