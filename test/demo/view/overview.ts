import type { Subscriber } from '../subscribers/subscribers.ts';
import type { DeliveryCounts } from '../scenario/delivery-counts.ts';
import { span, type Line, type Span } from './line.ts';

/** The progress of the whole demo. */
export interface Overview {
  readonly certificates: Progress;
  readonly deliveries: Progress;
  readonly rows: readonly Row[];
  /** Notes on failures and on deliveries that succeeded after a failure, newest last. */
  readonly notes: readonly Line[];
}

interface Progress {
  readonly done: number;
  readonly total: number;
}

export interface Row {
  readonly subscriber: Pick<Subscriber, 'name' | 'authentication'>;
  readonly wanted: number;
  readonly counts: DeliveryCounts;
}

const nameWidth = 22;
const methodWidth = 14;
const headLine: Line = [
  span(`  ${'webhook'.padEnd(nameWidth)}${'method'.padEnd(methodWidth)}`, 'faint'),
  span('delivered  waiting  retries  dead', 'faint'),
];

export function tableLines({ rows }: Overview): readonly Line[] {
  return [[], headLine, ...rows.map(rowLine)];
}

/** Returns a one-line summary. */
export function overviewSummary({ certificates, deliveries, rows }: Overview): Line {
  const sum = (of: (counts: DeliveryCounts) => number): number =>
    rows.reduce((total, { counts }) => total + of(counts), 0);
  const [delivered, waiting, dead] = [sum((one) => one.delivered), sum((one) => one.waiting), sum((one) => one.dead)];
  const progress = `produced ${share(certificates)}, settled ${share(deliveries)}`;
  return [span(`  ${progress}: ${delivered} delivered, ${dead} dead; ${waiting} waiting`)];
}

function share({ done, total }: Progress): string {
  return `${done}/${total}`;
}

function rowLine({ subscriber, wanted, counts }: Row): Line {
  const { delivered, waiting, retries, dead } = counts;
  return [
    span(`  ${subscriber.name.padEnd(nameWidth)}`),
    span(subscriber.authentication.authType.padEnd(methodWidth), 'accent'),
    span(String(delivered).padStart(5), delivered === wanted ? 'good' : 'plain'),
    span(`/${wanted}`.padEnd(4), 'faint'),
    number(waiting, 9, 'busy'),
    number(retries, 9, 'busy'),
    number(dead, 6, 'bad'),
  ];
}

/** Shows 0 as a faint dot, so that other numbers stand out. */
function number(value: number, width: number, tone: Span['tone']): Span {
  return value === 0 ? span('·'.padStart(width), 'faint') : span(String(value).padStart(width), tone);
}
