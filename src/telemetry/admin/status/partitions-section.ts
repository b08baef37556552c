import type { PauseReason } from '../../../flow/pause-reason.ts';
import { TopN } from '../../../lib/top-n.ts';
import { oldestOf, type PartitionStatus } from '../../metrics/gauges.ts';
import { html, legible, type Html, type Content } from './html.ts';
import { table, type Column } from './table.ts';
import { count, timeFromNow, state } from './wording.ts';

/** Partitions listed one by one, at most. Bounds the size of the page. */
const maxListed = 200;

/** Shows the progress of the assigned partitions, by topic and one by one, and why any of them is paused. */
export function partitionsSection(partitions: readonly PartitionStatus[], now: number): Html {
  const lists = [topicTable(partitions, now), partitionList(partitions, now)];
  return html`<section aria-labelledby="partitions">
    <h2 id="partitions">Partitions</h2>
    ${partitions.length > 0 ? lists : html`<p class="none">No partition is assigned to this instance.</p>`}
  </section>`;
}

function topicTable(partitions: readonly PartitionStatus[], now: number): Html {
  return table({
    caption: 'By topic',
    columns: [{ title: 'Topic' }, { title: 'Partitions', isNumber: true }, ...progressColumns],
    groups: [{ rows: [...byTopic(partitions)].map(([topic, ones]) => topicCells(topic, ones, now)) }],
  });
}

function topicCells(topic: string, partitions: readonly PartitionStatus[], now: number): readonly Content[] {
  const reasons = partitions.map(({ pausedBy }) => pausedBy).filter((reason) => reason !== undefined);
  const progress = progressOf(partitions, now);
  if (reasons.length === 0) return [legible(topic), count(partitions.length), ...progress];
  const counts = [...Map.groupBy(reasons, (reason) => reason)].map(
    ([reason, ones]) => `${count(ones.length)} by ${reason}`,
  );
  const paused = state('fair', `${count(reasons.length)} paused`);
  return [
    html`${legible(topic)} <small>paused: ${counts.join(', ')}</small>`,
    html`${paused} of ${count(partitions.length)}`,
    ...progress,
  ];
}

function partitionList(partitions: readonly PartitionStatus[], now: number): Html {
  const behind = new TopN<PartitionStatus>(maxListed);
  // 1 is added so that partitions without lag are listed, too.
  for (const partition of partitions) behind.offer(partition, 1 + (partition.lag ?? 0));
  const chosen = new Set(behind.items);
  const listed = partitions.filter((partition) => chosen.has(partition));
  const groups = [...byTopic(listed)].map(([topic, ones]) => ({
    title: legible(topic),
    rows: ones.toSorted((one, other) => one.partition - other.partition).map((one) => partitionCells(one, now)),
  }));
  const isAll = listed.length === partitions.length;
  return html`<details>
    <summary>${isAll ? 'Each partition' : `The ${count(maxListed)} partitions with most lag`}</summary>
    ${table({
      caption: 'By partition',
      columns: [{ title: 'Partition' }, ...progressColumns],
      groups,
      isNarrow: true,
    })}
  </details>`;
}

function partitionCells(one: PartitionStatus, now: number): readonly Content[] {
  return [nameOf(one), ...progressOf([one], now)];
}

function nameOf({ partition, pausedBy }: PartitionStatus): Content {
  if (pausedBy === undefined) return partition;
  return html`${partition} ${state('fair', `paused by ${pausedBy}`)} <small>${pauseWording(pausedBy)}</small>`;
}

const progressColumns: readonly Column[] = [
  { title: 'Lag', isNumber: true },
  { title: 'Uncommitted', isNumber: true },
  { title: 'Oldest unsettled' },
];

function progressOf(partitions: readonly PartitionStatus[], now: number): readonly Content[] {
  const lags = partitions.map(({ lag }) => lag).filter((lag) => lag !== undefined);
  const oldest = oldestOf(partitions);
  return [
    lags.length < partitions.length ? html`<span class="soft">unknown</span>` : count(sum(lags)),
    count(sum(partitions.map(({ uncommitted }) => uncommitted))),
    oldest === undefined ? html`<span class="soft">none</span>` : timeFromNow(oldest, now),
  ];
}

function byTopic(partitions: readonly PartitionStatus[]): ReadonlyMap<string, readonly PartitionStatus[]> {
  return Map.groupBy(partitions, ({ topic }) => topic);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Says in words why a partition is paused, and names the setting or log event to look at. */
function pauseWording(reason: PauseReason): Html {
  const { words, lookAt } = wordings[reason];
  return lookAt === undefined ? html`${words}` : html`${words}, see <code>${lookAt}</code>`;
}

/** `lookAt` is a setting, or the event of a log line. */
const wordings: Readonly<Record<PauseReason, { readonly words: string; readonly lookAt?: string }>> = {
  joining: { words: 'the group assigns its partitions', lookAt: 'consumer.joined' },
  topic_missing: { words: 'its topic does not exist', lookAt: 'topic.gone' },
  topic_denied: { words: 'the brokers do not let us read its topic', lookAt: 'topic.denied' },
  configurations: {
    words: 'its records wait until all webhook configurations are read',
    lookAt: 'WEBHOOK_CONFIGURATIONS',
  },
  window: {
    words: 'records wait for their start, because the window of active deliveries is full',
    lookAt: 'DELIVERY_MAX_WAITING_PER_ENDPOINT',
  },
  waiting_room: {
    words: 'records wait for a place in the waiting room of a healthy endpoint',
    lookAt: 'DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT',
  },
  deliveries: { words: 'its unsettled deliveries use up its share', lookAt: 'INTAKE_MAX_RECORDS' },
  records: { words: 'its unsettled records use up its share', lookAt: 'INTAKE_MAX_RECORDS' },
  bytes: { words: 'the bytes of its unsettled records use up its share', lookAt: 'INTAKE_MAX_BYTES' },
  span: { words: 'its oldest unsettled record holds its commit back', lookAt: 'INTAKE_MAX_SPAN' },
  schema: { words: 'the schema of its next record is not known yet', lookAt: 'SCHEMA_REGISTRY_URL' },
  turn: { words: 'what was read is started, some in each turn of the event loop' },
  transaction: { words: 'a producer holds a transaction open in front of its unread records' },
  undecodable: { words: 'its next batch could not be decoded', lookAt: 'partition.unreadable' },
};
