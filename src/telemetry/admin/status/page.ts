import { createHash } from 'node:crypto';
import { endpointsSection } from './endpoints-section.ts';
import { html, type Html } from './html.ts';
import { icon } from './icon.ts';
import { partitionsSection } from './partitions-section.ts';
import { settingsSection } from './settings-section.ts';
import { state } from './state.ts';
import type { Status } from './status.ts';
import { styles, styleSheet } from './styles.ts';
import { summary } from './summary.ts';
import { tiersSection } from './tiers-section.ts';
import { verdictOf, type Verdict } from './verdict.ts';
import { isoTime, span, utc } from './wording.ts';

/** How often a page loads itself anew when its reader asks for that: by itself it stands still, to be read. */
const refreshSeconds = 10;

/** The whole page. It needs nothing from elsewhere, and runs no script. */
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

/** The browser holds the page to what it is: text, one style sheet and an icon of its own. */
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

function head({ title, tone }: Verdict, isRefreshed: boolean): Html {
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

function header({ at, instance }: Status, { tone, title, findings }: Verdict, isRefreshed: boolean): Html {
  const { name, version, nodeVersion, startedAt } = instance;
  const refresh = isRefreshed
    ? html`<a href="/">Stop refreshing</a>`
    : html`<a href="/?refresh">Refresh every ${refreshSeconds} s</a>`;
  return html`<header>
    <p class="name">certificate-webhooks ${version}</p>
    <h1>${state(tone, title)}</h1>
    <p>${findings.join(' ')}</p>
    <p class="soft">
      The view of <strong>${name}</strong> alone, running for ${span(at - startedAt)} on Node ${nodeVersion}, as of
      <time datetime="${isoTime(at)}">${utc(at)}</time> UTC. ${refresh}
    </p>
  </header>`;
}

const footer = html`<footer>
  <nav aria-label="For machines">
    <a href="/endpoints">/endpoints</a> <a href="/metrics">/metrics</a> <a href="/livez">/livez</a>
    <a href="/readyz">/readyz</a>
  </nav>
  <p class="soft">All times are UTC.</p>
</footer>`;
