import { html, type Html, type Content } from './html.ts';
import type { TierStatus } from './status.ts';
import { table } from './table.ts';
import { count, timeFromNow } from './wording.ts';

/** Shows how many deliveries wait in each tier, and when the next one is due. */
export function tiersSection(tiers: readonly TierStatus[], now: number): Html {
  return html`<section aria-labelledby="tiers">
    <h2 id="tiers">Retry tiers</h2>
    ${table({
      caption: 'Deliveries that wait in the partitions of this instance',
      columns: [{ title: 'Tier' }, { title: 'Waiting', isNumber: true }, { title: 'Next due' }],
      groups: [{ rows: tiers.map((tier) => cellsOf(tier, now)) }],
      isNarrow: true,
    })}
  </section>`;
}

function cellsOf({ label, isConfigured, partitions, waiting, nextDueAt }: TierStatus, now: number): readonly Content[] {
  const name = isConfigured ? label : html`${label} <small>no longer written</small>`;
  if (partitions === 0) return [name, '–', soft('none of its partitions is here')];
  const next = soft(waiting === 0 ? 'nothing waits' : 'not read yet');
  return [
    name,
    waiting === undefined ? soft('unknown') : count(waiting),
    nextDueAt === undefined ? next : timeFromNow(nextDueAt, now),
  ];
}

function soft(text: string): Html {
  return html`<span class="soft">${text}</span>`;
}
