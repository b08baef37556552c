import type { Subscriber } from '../subscribers/subscribers.ts';
import type { DeliveryCounts } from '../scenario/delivery-counts.ts';
import { span, type Line, type Span } from './line.ts';
import type { Note } from './notes.ts';

/** The progress of the whole demo. */
export interface Overview {
  readonly certificates: Progress;
  readonly deliveries: Progress;
  readonly rows: readonly Row[];
  /** Notes on failures and on deliveries that succeeded after a failure, newest last. */
  readonly notes: readonly Note[];
}

interface Progress {
  readonly done: number;
  readonly total: number;
}

export interface Row {
  readonly subscriber: Pick<Subscriber, 'name' | 'authentication' | 'behaviour'>;
  readonly wanted: number;
  readonly counts: DeliveryCounts;
}

export function overviewLines(overview: Overview): readonly Line[] {
  return [
    ...progressLines(overview),
    ...tableLines(overview),
    [],
    ...overview.notes.slice(-shownNotes).map(({ line }) => line),
  ];
}

export function progressLines({ certificates, deliveries }: Overview): readonly Line[] {
  return [[], progressLine('certificates produced', certificates), progressLine('deliveries settled', deliveries)];
}

export function tableLines({ rows }: Overview): readonly Line[] {
  return [[], headLine, ...rows.map(rowLine)];
}

/** Returns a one-line summary, for a screen that cannot draw in place. */
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

const barWidth = 36;
const shownNotes = 6;

function progressLine(title: string, { done, total }: Progress): Line {
  const filled = total === 0 ? 0 : Math.min(barWidth, Math.floor((barWidth * done) / total));
  return [
    span(`  ${title.padEnd(22)}`),
    span('━'.repeat(filled), done >= total ? 'good' : 'accent'),
    span('─'.repeat(barWidth - filled), 'faint'),
    span(`  ${done}`, 'strong'),
    span(` of ${total}`, 'faint'),
  ];
}

const nameWidth = 22;
const methodWidth = 14;
const headLine: Line = [
  span(`  ${'webhook'.padEnd(nameWidth)}${'method'.padEnd(methodWidth)}`, 'faint'),
  span('delivered  waiting  retries  dead', 'faint'),
];

function rowLine({ subscriber, wanted, counts }: Row): Line {
  const { delivered, waiting, retries, dead } = counts;
  return [
    span(`  ${subscriber.name.padEnd(nameWidth)}`, subscriber.behaviour === 'works' ? 'plain' : 'strong'),
    span(subscriber.authentication.authType.padEnd(methodWidth), 'accent'),
    ...deliveredOf(delivered, wanted),
    number(waiting, 9, 'busy'),
    number(retries, 9, 'busy'),
    number(dead, 6, 'bad'),
  ];
}

function deliveredOf(delivered: number, wanted: number): readonly Span[] {
  const text = String(delivered).padStart(5);
  return [span(text, delivered === wanted ? 'good' : 'plain'), span(`/${wanted}`.padEnd(4), 'faint')];
}

/** Shows 0 as a faint dot, so that other numbers stand out. */
function number(value: number, width: number, tone: Span['tone']): Span {
  return value === 0 ? span('·'.padStart(width), 'faint') : span(String(value).padStart(width), tone);
}
