import type { LabelSet } from './families.ts';

export const statusClasses = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;
type StatusClass = (typeof statusClasses)[number];

/** Returns `none` without a response, and for a status outside the classes of final responses. */
export function statusClass(status: number | undefined): StatusClass {
  return statusClasses[Math.floor((status ?? 0) / 100) - 2] ?? 'none';
}

/** Returns true if the outcome can have this class: 2xx when delivered, another after an HTTP error, otherwise none. */
export function canHaveStatusClass({ outcome, status_class: statusText }: LabelSet): boolean {
  if (outcome === 'delivered') return statusText === '2xx';
  if (outcome === 'http_error') return statusText !== '2xx';
  return statusText === 'none';
}
