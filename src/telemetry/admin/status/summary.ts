import { oldestOf } from '../../metrics/partition-gauges.ts';
import { html, type Html, type Content } from './html.ts';
import type { ReadingStatus, Status } from './status.ts';
import { bytes, clockTime, count, duration } from './wording.ts';

interface Fact {
  readonly name: string;
  readonly value: Content;
  readonly note?: Content;
}

export function summary({ pools, reading, at }: Status): Html {
  return html`<dl class="facts">
    ${[...readingFacts(reading, at), ...poolFacts(pools)].map(
      ({ name, value, note }) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value} <small>${note}</small></dd>
        </div>`,
    )}
  </dl>`;
}

function readingFacts(reading: ReadingStatus | undefined, now: number): readonly Fact[] {
  if (reading === undefined) return [{ name: 'Partitions', value: '0', note: 'not reading yet' }];
  const { partitions, unsettled, tiers, webhooks } = reading;
  const paused = partitions.filter(({ pausedBy }) => pausedBy !== undefined).length;
  // Records in a tier are old on purpose.
  const tierTopics = new Set(tiers.map(({ topic }) => topic));
  const oldest = oldestOf(partitions.filter(({ topic }) => !tierTopics.has(topic)));
  return [
    { name: 'Partitions assigned', value: count(partitions.length), note: paused === 0 ? '' : `${paused} paused` },
    {
      name: 'Records unsettled',
      value: count(unsettled.records),
      note: `of ${count(unsettled.recordsLimit)}, ${bytes(unsettled.bytes)} of ${bytes(unsettled.bytesLimit)}`,
    },
    {
      name: 'Oldest unsettled',
      value: oldest === undefined ? 'none' : duration(now - oldest),
      note: oldest === undefined ? 'of those that are read' : `a certificate of ${clockTime(oldest, now)}`,
    },
    {
      name: 'Webhooks active',
      value: count(webhooks.active),
      note: `${count(webhooks.paused)} paused, ${count(webhooks.disabled)} disabled, ${count(webhooks.invalid)} refused`,
    },
  ];
}

function poolFacts(pools: Status['pools']): readonly Fact[] {
  const total = (of: (pool: Status['pools'][number]) => number): number =>
    pools.reduce((sum, pool) => sum + of(pool), 0);
  const retries = pools.find(({ pool }) => pool === 'retry');
  return [
    {
      name: 'Requests in flight',
      value: count(total(({ inFlight }) => inFlight)),
      note: `of ${count(total(({ limit }) => limit))}, ${count(retries?.inFlight ?? 0)} retries`,
    },
    {
      name: 'Deliveries waiting',
      value: count(total(({ waiting }) => waiting)),
      note: `${count(retries?.waiting ?? 0)} retries`,
    },
  ];
}
