import { createHash } from 'node:crypto';
import { endpointsSection } from './endpoints-section.ts';
import { html, legible, type Content, type Html } from './html.ts';
import { partitionsSection } from './partitions-section.ts';
import type { SettingsGroup, Status, TierStatus, ReadingStatus } from './status.ts';
import { styles, styleSheet } from './styles.ts';
import { table } from './table.ts';
import { count, duration, isoTime, pluralized, state, timeFromNow, utc, bytes, clockTime } from './wording.ts';
import { shuttingDown } from '../readiness.ts';
import { oldestOf } from '../../metrics/gauges.ts';

/** Seconds between reloads of `/?refresh`. The plain page does not reload, so that it can be read in peace. */
const refreshSeconds = 10;

/** Returns the whole page. It loads nothing else and runs no script. */
export function statusPage(status: Status, { isRefreshed }: { readonly isRefreshed: boolean }): string {
  const verdict = verdictOf(status);
  const { reading, at } = status;
  return html`<!doctype html>
    <html lang="en">
      ${head(verdict, isRefreshed)}
      <body>
        ${header(status, verdict, isRefreshed)}
        <main>
          ${summary(status)} ${endpointsSection(status.endpoints, at)}
          ${reading && [tiersSection(reading.tiers, at), partitionsSection(reading.partitions, at)]}
          ${settingsSection(status.settings)}
        </main>
        ${footer}
      </body>
    </html>`.toString();
}

/** Returns a policy that allows the inline style sheet and the inline icon, and nothing else. */
export function contentSecurityPolicy(): string {
  const hash = createHash('sha256').update(styles).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function head({ title, tone }: HealthVerdict, isRefreshed: boolean): Html {
  return html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    ${isRefreshed ? html`<meta http-equiv="refresh" content="${refreshSeconds}" />` : ''}
    <title>${title} · certificate-webhooks</title>
    <link rel="icon" href="${icon(tone)}" />
    ${styleSheet}
  </head>`;
}

function header({ at, instance }: Status, { tone, title, findings }: HealthVerdict, isRefreshed: boolean): Html {
  const { name, version, nodeVersion, startedAt } = instance;
  const refresh = isRefreshed
    ? html`<a href="/">Stop refreshing</a>`
    : html`<a href="/?refresh">Refresh every ${refreshSeconds} s</a>`;
  return html`<header>
    <p class="name">certificate-webhooks ${version}</p>
    <h1>${state(tone, title)}</h1>
    <p>${findings.join(' ')}</p>
    <p class="soft">
      The view of <strong>${name}</strong> alone, running for ${duration(at - startedAt)} on Node ${nodeVersion}, as of
      <time datetime="${isoTime(at)}">${utc(at)}</time> UTC. ${refresh}
    </p>
  </header>`;
}

/** Returns the icon of the browser tab. Its shape differs, too, for people who can't tell the colors apart. */
function icon(tone: HealthVerdict['tone']): string {
  const mark =
    tone === 'good'
      ? '<circle cx="8" cy="8" r="8" fill="#1a7f37"/><path d="M4.5 8.5 7 11l4.5-5.5"'
      : '<path d="M8 0 16 8 8 16 0 8z" fill="#c62828"/><path d="M8 4.5v4m0 2.2v.3"';
  const style = 'fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${mark} ${style}/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function tiersSection(tiers: readonly TierStatus[], now: number): Html {
  return html`<section aria-labelledby="tiers">
    <h2 id="tiers">Retry tiers</h2>
    ${table({
      caption: 'Deliveries that wait in the partitions of this instance',
      columns: [{ title: 'Tier' }, { title: 'Waiting', isNumber: true }, { title: 'Next due' }],
      groups: [{ rows: tiers.map((tier) => tierCells(tier, now)) }],
      isNarrow: true,
    })}
  </section>`;
}

function tierCells(
  { label, isConfigured, partitions, waiting, nextDueAt }: TierStatus,
  now: number,
): readonly Content[] {
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

function settingsSection(groups: readonly SettingsGroup[]): Html {
  const all = groups.flatMap(({ settings }) => settings);
  const setCount = all.filter(({ origin }) => origin === 'set').length;
  return html`<section aria-labelledby="settings">
    <h2 id="settings">Settings</h2>
    <details>
      <summary>${pluralized(all.length, 'setting')}, ${setCount} of them set, secrets hidden</summary>
      ${table({
        caption: 'As they take effect',
        columns: [{ title: 'Variable' }, { title: 'Value' }, { title: 'Origin' }],
        groups: groups.map(({ title, settings }) => ({
          title,
          rows: settings.map(({ name, value, origin }) => [
            html`<code>${legible(name)}</code>`,
            html`<code>${value}</code>`,
            origin === 'set' ? html`<strong>set</strong>` : html`<span class="soft">${origin}</span>`,
          ]),
        })),
      })}
    </details>
  </section>`;
}

const footer = html`<footer>
  <nav aria-label="For machines">
    <a href="/endpoints">/endpoints</a> <a href="/metrics">/metrics</a> <a href="/livez">/livez</a>
    <a href="/readyz">/readyz</a>
  </nav>
  <p class="soft">All times are UTC.</p>
</footer>`;

interface HealthVerdict {
  readonly tone: 'good' | 'bad';
  readonly title: string;
  /** Whole sentences. */
  readonly findings: readonly string[];
}

/** Decides whether the instance is healthy. Failing endpoints are only counted: they do not make it unhealthy. */
function verdictOf({ missing, stalled, endpoints, reading }: Status): HealthVerdict {
  const findings = [...stalled.map(sentence), ...missingOf(missing), ...failing(endpoints, reading)];
  if (stalled.length > 0) return { tone: 'bad', title: 'Not alive', findings };
  if (missing.includes(shuttingDown)) return { tone: 'bad', title: 'Shutting down', findings };
  if (missing.length > 0) return { tone: 'bad', title: 'Not ready', findings: ['Alive.', ...findings] };
  return { tone: 'good', title: 'Ready', findings: ['Alive.', ...findings] };
}

function missingOf(missing: readonly string[]): readonly string[] {
  const conditions = missing.filter((condition) => condition !== shuttingDown);
  return conditions.length === 0 ? [] : [`Missing: ${conditions.join(', ')}.`];
}

/** Returns the number of failing endpoints beside what it is of: an instance knows those that it has used of late. */
function failing({ failing: { total }, circuits }: Status['endpoints'], reading: Status['reading']): readonly string[] {
  if (total === 0) return ['No endpoint fails.'];
  const known = circuits.closed + circuits.open + circuits.half_open;
  const open =
    circuits.open === 0
      ? ''
      : `, and ${pluralized(circuits.open, 'circuit')} ${circuits.open === 1 ? 'is' : 'are'} open`;
  const active = reading === undefined ? '' : `, and knows ${pluralized(reading.webhooks.active, 'active webhook')}`;
  return [
    `${pluralized(total, 'endpoint')} ${total === 1 ? 'fails' : 'fail'}${open}.`,
    `This instance has lately delivered to ${pluralized(known, 'endpoint')}${active}.`,
  ];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

interface Fact {
  readonly name: string;
  readonly value: Content;
  readonly note?: Content;
}

function summary({ pools, reading, at }: Status): Html {
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
