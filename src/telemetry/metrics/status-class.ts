import type { LabelSet } from './families.ts';

export const statusClasses = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;
type StatusClass = (typeof statusClasses)[number];

/** `none`: no response, or a status that belongs to no class a final response can have. */
export function statusClass(status: number | undefined): StatusClass {
  if (status === undefined) return 'none';
  const leading = Math.floor(status / 100);
  return statusClasses.find((known) => known === `${leading}xx`) ?? 'none';
}

/** Which classes go with which outcome: a delivery is a 2xx, an HTTP error anything else, the rest got no response. */
export function canHaveStatusClass({ outcome, status_class: statusText }: LabelSet): boolean {
  if (outcome === 'delivered') return statusText === '2xx';
  if (outcome === 'http_error') return statusText !== '2xx';
  return statusText === 'none';
}
