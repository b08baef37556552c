import type { EndpointList, EndpointsStatus, EndpointStatus } from '../../../flow/endpoint-status.ts';
import { html, legible, type Html, type Content } from './html.ts';
import { table, type Column } from './table.ts';
import { clockTime, count, pluralized, timeFromNow, duration, state, type Tone } from './wording.ts';

export function endpointsSection({ circuits, failing, crowded, expiring }: EndpointsStatus, now: number): Html {
  const all = circuits.closed + circuits.open + circuits.half_open;
  return html`<section aria-labelledby="endpoints">
    <h2 id="endpoints">Endpoints</h2>
    <p>${pluralized(all, 'endpoint')} that this instance has lately delivered to, by circuit:</p>
    <ul class="legend">
      <li>${circuitCount('good', circuits.closed, 'closed')}</li>
      <li>${circuitCount('fair', circuits.half_open, 'half open')}</li>
      <li>${circuitCount('bad', circuits.open, 'open')}</li>
    </ul>
    ${ranked(failing, now, { none: 'No endpoint fails.', caption: 'Failing, most failures in a row first' })}
    ${ranked(crowded, now, {
      none: 'At the endpoints that work no delivery waits for its turn.',
      caption: 'Working, with deliveries that wait for their turn, most first',
    })}
    ${ranked(expiring, now, {
      none: 'No certificate of an endpoint is about to expire.',
      caption: 'With a certificate that is about to expire, the soonest first',
    })}
  </section>`;
}

function circuitCount(tone: Tone, number: number, words: string): Html {
  const text = `${count(number)} ${words}`;
  return number === 0 ? html`<span class="soft">${text}</span>` : state(tone, text);
}

function ranked(
  { total, first }: EndpointList,
  now: number,
  { none, caption }: Readonly<Record<'none' | 'caption', string>>,
): Html {
  if (total === 0) return html`<p class="none">${none}</p>`;
  const shown = first.length < total ? `${count(first.length)} of ${count(total)} shown` : `all ${count(total)} shown`;
  return table({
    caption: html`${caption} <span class="soft">${total === 1 ? '' : shown}</span>`,
    columns,
    groups: [{ rows: first.map((endpoint) => cellsOf(endpoint, now)) }],
  });
}

const columns: readonly Column[] = [
  { title: 'Configuration, owner and host' },
  { title: 'Circuit' },
  { title: 'Health' },
  { title: 'Failures', isNumber: true },
  { title: 'Last outcome' },
  { title: 'In flight', isNumber: true },
  { title: 'Waiting', isNumber: true },
];

function cellsOf(endpoint: EndpointStatus, now: number): readonly Content[] {
  const { inFlight, waiting } = endpoint;
  return [
    configurationOf(endpoint),
    circuitOf(endpoint, now),
    healthOf(endpoint),
    failuresOf(endpoint, now),
    lastOutcomeOf(endpoint, now),
    count(inFlight),
    count(waiting),
  ];
}

function configurationOf(endpoint: EndpointStatus): Html {
  const { configurationId, ownerId, host, limits, certificateValidUntil, state: configurationState } = endpoint;
  const certificate =
    certificateValidUntil && `, certificate until ${new Date(certificateValidUntil).toISOString().slice(0, 10)}`;
  const notActive = configurationState === 'active' ? '' : state('fair', configurationState);
  return html`<code>${legible(configurationId)}</code>
    <small
      >of
      <code>${legible(ownerId ?? 'unknown')}</code
      >${host && html` at ${legible(host)}`}${limitsOf(limits)}${certificate}</small
    >
    ${notActive}`;
}

function limitsOf({ inFlight, perMinute }: EndpointStatus['limits'] = {}): string {
  const texts = [inFlight && `${count(inFlight)} at once`, perMinute && `${count(perMinute)} a minute`];
  const limits = texts.filter((text) => text !== undefined).join(', ');
  return limits === '' ? '' : `, at most ${limits}`;
}

function failuresOf({ failures, failingSince }: EndpointStatus, now: number): Html {
  const since = failingSince === undefined ? '' : html`<small>since ${clockTime(failingSince, now)}</small>`;
  return html`${count(failures)} ${since}`;
}

function circuitOf({ circuit, openUntil }: EndpointStatus, now: number): Html {
  switch (circuit) {
    case 'closed':
      return state('good', 'closed');
    case 'half_open':
      return state('fair', 'half open');
    case 'open': {
      const probe = openUntil === undefined ? '' : `probe in ${duration(openUntil - now)}`;
      return html`${state('bad', 'open')} <small>${probe}</small>`;
    }
  }
}

function healthOf({ health }: EndpointStatus): Html {
  switch (health) {
    case 'healthy':
      return state('good', 'healthy');
    case 'failing':
      return html`${state('fair', 'failing')} <span class="soft">the last attempt failed</span>`;
    case 'paced':
      return html`${state('good', 'paced')}
        <span class="soft">deliveries wait for its limit a minute, or its pace</span>`;
    case 'late':
      return html`${state('fair', 'late')}
        <span class="soft">a delivery has been out, or has waited for it, for over a second</span>`;
  }
}

function lastOutcomeOf(endpoint: EndpointStatus, now: number): Html {
  const { lastOutcome, lastStatus, lastMessage, lastOutcomeAt } = endpoint;
  if (lastOutcome === undefined || lastOutcomeAt === undefined) return html`<span class="soft">none yet</span>`;
  const detail = lastStatus ?? lastMessage;
  return html`${lastOutcome} ${detail} <span class="soft">${timeFromNow(lastOutcomeAt, now)}</span>`;
}
