import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pauseReasons } from '../../../../src/flow/pause-reason.ts';
import { knownNames } from '../../../../src/settings/variables.ts';
import { contentSecurityPolicy, statusPage } from '../../../../src/telemetry/admin/status/page.ts';
import { logEvents } from '../../../docs/support/log-events.ts';
import type { Status } from '../../../../src/telemetry/admin/status/status.ts';
import { aPartitionStatus, aReadingStatus, aStatus, anEndpointStatus } from '../../support/status.ts';

/** Returns the visible text of the page on one line. */
function textOf(status: Partial<Status> = {}): string {
  return statusPage(aStatus(status), { isRefreshed: false })
    .replace(/<style>.*<\/style>/s, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

function reading(overrides: Partial<NonNullable<Status['reading']>>): Partial<Status> {
  return { reading: aReadingStatus(overrides) };
}

describe('the status page', () => {
  it('begins with the verdict, the name of the instance, and its load', () => {
    expect(textOf()).toContain(
      'certificate-webhooks 1.2.3 Ready Alive. No endpoint fails. The view of worker-1-5f2c alone, ' +
        'running for 2 h 10 min on Node 24.21.0, as of 2026-11-21 12:00:05 UTC. Refresh every 10 s ' +
        'Partitions assigned 1 Records unsettled 1,204 of 10,000, 640 KiB of 64 MiB ' +
        'Oldest unsettled 4 s a certificate of 12:00:01 Webhooks active 20 1 paused, 2 disabled, 0 refused ' +
        'Requests in flight 37 of 512, 7 retries Deliveries waiting 12 2 retries ',
    );
  });

  it('is available before the readers have started', () => {
    const text = textOf({ reading: undefined, missing: ['the topics'] });
    expect(text).toContain('Not ready Alive. Missing: the topics.');
    expect(text).toContain('Partitions 0 not reading yet');
  });

  it('shows which endpoints fail, how, and since when', () => {
    const endpoint = anEndpointStatus({ circuit: 'open', openUntil: aStatus().at + 25_000, failures: 1204 });
    const failing = { total: 214, first: [endpoint] };
    expect(textOf({ endpoints: { ...aStatus().endpoints, failing } })).toContain(
      'Failing, most failures in a row first 1 of 214 shown ' +
        'Configuration, owner and host Circuit Health Failures Last outcome In flight Waiting ' +
        '665f1f77bcf86cd799439011 of 665f1f77bcf86cd799439000 at hooks.example.com open probe in 25 s ' +
        'failing the last attempt failed 1,204 since 11:58:53 http_error 503 12 s ago 11:59:53 1 0 ',
    );
  });

  it('says how many endpoints fail beside the webhooks, of which an instance forgets those that work', () => {
    const failing = { total: 1, first: [anEndpointStatus()] };
    const circuits = { closed: 0, open: 1, half_open: 0 };
    const webhooks = { active: 7, paused: 0, disabled: 0, invalid: 0 };
    const text = textOf({ endpoints: { ...aStatus().endpoints, failing, circuits }, ...reading({ webhooks }) });
    expect(text).toContain(
      'Alive. 1 endpoint fails, and 1 circuit is open. ' +
        'This instance has lately delivered to 1 endpoint, and knows 7 active webhooks. The view',
    );
  });

  it('says why an endpoint failed without a response, and that its configuration is not active', () => {
    const silent = { lastOutcome: 'timeout', lastStatus: undefined, lastMessage: 'not resolved in time' } as const;
    const failing = { total: 1, first: [anEndpointStatus({ ...silent, state: 'invalid', host: undefined })] };
    const text = textOf({ endpoints: { ...aStatus().endpoints, failing } });
    expect(text).toContain('of 665f1f77bcf86cd799439000 invalid closed failing');
    expect(text).toContain('timeout not resolved in time 12 s ago');
  });

  it('says why deliveries to an endpoint that has not failed wait', () => {
    const crowded = {
      total: 2,
      first: [
        anEndpointStatus({ health: 'late', failures: 0, failingSince: undefined, waiting: 40 }),
        anEndpointStatus({ health: 'healthy', failures: 0, failingSince: undefined, waiting: 3 }),
      ],
    };
    const text = textOf({ endpoints: { ...aStatus().endpoints, crowded } });
    expect(text).toContain('closed late a delivery has been out, or has waited for it, for over a second 0');
    expect(text).toContain('closed healthy 0');
  });

  it('says which limits a webhook has, and that deliveries wait for them', () => {
    const limits = { inFlight: 4, perMinute: 1200 };
    const first = [anEndpointStatus({ health: 'paced', failures: 0, failingSince: undefined, limits })];
    const text = textOf({ endpoints: { ...aStatus().endpoints, crowded: { total: 1, first } } });
    expect(text).toContain(', at most 4 at once, 1,200 a minute closed');
    expect(text).toContain('paced deliveries wait for its limit a minute, or its pace');
  });

  it('says which certificates are about to expire', () => {
    const first = [anEndpointStatus({ certificateValidUntil: Date.UTC(2026, 11, 18, 8, 30) })];
    const text = textOf({ endpoints: { ...aStatus().endpoints, expiring: { total: 1, first } } });
    expect(text).toContain('With a certificate that is about to expire, the soonest first');
    expect(text).toContain(', certificate until 2026-12-18 closed');
  });

  it('says that there is nothing to show', () => {
    const text = textOf(reading({ partitions: [] }));
    expect(text).toContain('No endpoint fails.');
    expect(text).toContain('At the endpoints that work no delivery waits for its turn.');
    expect(text).toContain('No certificate of an endpoint is about to expire.');
    expect(text).toContain('No partition is assigned to this instance.');
  });

  it('shows how many deliveries wait in each tier, and when the next one is due', () => {
    const tier = { topic: 'retry.10m', label: '10m', isConfigured: true, partitions: 1 };
    const tiers = [
      { ...tier, waiting: 388, nextDueAt: aStatus().at + 95_000 },
      { ...tier, waiting: undefined, nextDueAt: undefined },
      { ...tier, waiting: 0, nextDueAt: undefined },
      { ...tier, waiting: 0, nextDueAt: undefined, partitions: 0, isConfigured: false },
    ];
    expect(textOf(reading({ tiers }))).toContain(
      'Tier Waiting Next due 10m 388 in 1 min 12:01:40 10m unknown not read yet 10m 0 nothing waits ' +
        '10m no longer written – none of its partitions is here',
    );
  });

  it('sums the partitions of each topic, and lists each partition with the reason why it is paused', () => {
    const partitions = [
      aPartitionStatus({ partition: 2, lag: 1200, pausedBy: 'span' }),
      aPartitionStatus({ partition: 10, lag: 30, oldestUnsettledAt: undefined }),
      aPartitionStatus({ topic: 'certificates.expired', lag: undefined, uncommitted: 0, oldestUnsettledAt: undefined }),
    ];
    const text = textOf(reading({ partitions }));
    expect(text).toContain('certificates.completed paused: 1 by span 1 paused of 2 1,230 6 4 s ago 12:00:01');
    expect(text).toContain('certificates.expired 1 unknown 0 none');
    expect(text).toContain(
      'certificates.completed 2 paused by span its oldest unsettled record holds its commit back, see INTAKE_MAX_SPAN ' +
        '1,200 3 4 s ago 12:00:01 10 30 3 none certificates.expired',
    );
  });

  // Turns of the event loop and transactions of producers have no setting.
  it.each(pauseReasons.filter((reason) => reason !== 'turn' && reason !== 'transaction'))(
    'names an existing setting or log event for a partition paused by %s',
    (reason) => {
      const page = statusPage(aStatus(reading({ partitions: [aPartitionStatus({ pausedBy: reason })] })), {
        isRefreshed: false,
      });
      const [, lookAt = ''] = /, see <code>(.*?)<\/code>/.exec(page) ?? [];
      const events = logEvents.map(({ event }) => event);
      expect([...knownNames, ...events]).toContain(lookAt);
    },
  );

  it('stays short with a hundred thousand partitions and ids of a megabyte', () => {
    const partitions = Array.from({ length: 100_000 }, (_, partition) =>
      aPartitionStatus({ partition, lag: partition }),
    );
    const long = anEndpointStatus({ configurationId: '<'.repeat(1_000_000), ownerId: '"'.repeat(1_000_000) });
    const failing = { total: 100_000, first: Array.from({ length: 100 }, () => long) };
    const endpoints = { ...aStatus().endpoints, failing };
    const page = statusPage(aStatus({ ...reading({ partitions }), endpoints }), { isRefreshed: false });
    expect(page).toContain('The 200 partitions with most lag');
    expect(page.length).toBeLessThan(600_000);
  });

  it('reloads itself only on request', () => {
    const refresh = '<meta http-equiv="refresh" content="10" />';
    expect(statusPage(aStatus(), { isRefreshed: false })).not.toContain(refresh);
    expect(statusPage(aStatus(), { isRefreshed: true })).toContain(refresh);
  });

  it('allows its own style sheet and nothing else', () => {
    const [, styles = ''] = /<style>(.*?)<\/style>/s.exec(statusPage(aStatus(), { isRefreshed: false })) ?? [];
    const hash = createHash('sha256').update(styles).digest('base64');
    expect(contentSecurityPolicy()).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; ` +
        "frame-ancestors 'none'",
    );
  });
});
