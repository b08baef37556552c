import { createHash } from 'node:crypto';
import { endpointsSection } from './endpoints-section.ts';
import { html, legible, type Content, type Html } from './html.ts';
import { partitionsSection } from './partitions-section.ts';
import type { SettingsGroup, Status, TierStatus } from './status.ts';
import { styles, styleSheet } from './styles.ts';
import { summary } from './summary.ts';
import { table } from './table.ts';
import { verdictOf, type HealthVerdict } from './verdict.ts';
import { count, duration, isoTime, pluralized, state, timeFromNow, utc } from './wording.ts';

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
