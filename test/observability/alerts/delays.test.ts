import { describe, expect, it } from 'vitest';
import { needs } from '../../support/programs/needs.ts';
import { asExpected, instance, replay, type Series } from '../support/replay.ts';

describe('CertificateWebhooksQueueDelay', { ...needs('promtool'), timeout: 30_000 }, () => {
  const alert = 'QueueDelay';
  const page = [{ severity: 'page' }];

  it('fires soon if the service falls behind, and clears soon after it has caught up', async () => {
    const series = instance('a', {
      ...firstAttempts({ started: '0+100x120 12100+100x119', inTime: '0+100x120 12000x20 12000+100x99' }),
      ...waiting('_x120 7000+10x20 _x99'),
    });
    const firing = { '119m': [], '130m': page, '180m': [] };
    expect(await replay({ alert, series, firing })).toBe(asExpected);
  });

  it('fires with the bounds that newer versions of Prometheus write', async () => {
    const attempts = firstAttempts({ started: '0+100x60', inTime: '0+50x60' });
    const renamed = Object.entries(attempts).map(([name, values]) => [name.replace('"60"', '"60.0"'), values] as const);
    const series = instance('a', { ...Object.fromEntries(renamed), ...waiting('0x60') });
    expect(await replay({ alert, series, firing: { '30m': page } })).toBe(asExpected);
  });

  it.each([
    { late: 20, minutes: 65, firing: page },
    { late: 12, minutes: 65, firing: [] },
    { late: 8, minutes: 300, firing: page },
    { late: 5, minutes: 300, firing: [] },
  ])('decides on $late late ones in a thousand for $minutes minutes', async ({ late, ...scenario }) => {
    const inTime = 1000 - late;
    const before = 360 - scenario.minutes;
    const series = instance('a', {
      ...firstAttempts({
        started: '0+1000x360',
        inTime: `0+1000x${before} ${before * 1000 + inTime}+${inTime}x${scenario.minutes - 1}`,
      }),
      ...waiting('-70+60x360'),
    });
    expect(await replay({ alert, series, evaluationInterval: '5m', firing: { '360m': scenario.firing } })).toBe(
      asExpected,
    );
  });

  it.each([
    { late: 8, firing: [] },
    { late: 14, firing: page },
  ])('decides whether $late late ones are more than a handful', async ({ late, firing }) => {
    const series = instance('a', {
      ...firstAttempts({ started: `0x30 0+2x${late} ${2 * late}x60`, inTime: `0x30 0+1x${late} ${late}x60` }),
      ...waiting('0x90'),
    });
    expect(await replay({ alert, series, firing: { [`${30 + late}m`]: firing } })).toBe(asExpected);
  });

  it('is quiet about late deliveries of a paused subscriber', async () => {
    const series = instance('a', {
      ...firstAttempts({ started: '0+100x30 3100+300x60', inTime: '0+100x90' }),
      ...fromTiers('0x30 200+200x60', '0x90'),
      ...waiting('_x20 1080 _x20 2400 _x60'),
    });
    expect(await replay({ alert, series, firing: { '40m': [], '60m': [], '90m': [] } })).toBe(asExpected);
  });

  it('fires if certificates are late while others are deferred and retried', async () => {
    const series = instance('a', {
      ...firstAttempts({ started: '0+300x60', inTime: '0+150x60' }),
      ...fromTiers('0+400x60', '0+300x60'),
      ...waiting('0x60'),
    });
    expect(await replay({ alert, series, firing: { '30m': page } })).toBe(asExpected);
  });

  it('is quiet if no record has waited for more than a minute', async () => {
    const series = instance('a', {
      ...firstAttempts({ started: '0+100x60', inTime: '0+95x60' }),
      ...waiting('-50+60x60'),
    });
    expect(await replay({ alert, series, firing: { '30m': [], '60m': [] } })).toBe(asExpected);
  });

  it('is quiet without certificates', async () => {
    const series = instance('a', firstAttempts({ started: '700x60', inTime: '690x60' }));
    expect(await replay({ alert, series, firing: { '30m': [], '60m': [] } })).toBe(asExpected);
  });
});

describe('CertificateWebhooksBudgetBurn', { ...needs('promtool'), timeout: 60_000 }, () => {
  const alert = 'BudgetBurn';
  /** The rules look at hours and days. Evaluating them as often as usual takes most of the time. */
  const times = { interval: '2m', evaluationInterval: '30m' };
  const ticket = [{ severity: 'ticket' }];

  it('fires if four in a thousand are late for two days, and clears within hours of their end', async () => {
    const series = instance('a', {
      ...firstAttempts({
        started: '0+2000x2400',
        inTime: '0+2000x60 121992+1992x1409 2930720+2000x900',
      }),
      ...waiting('-70+120x1470 _x900'),
    });
    const firing = { '120m': [], '47h': ticket, '60h': [] };
    expect(await replay({ alert, series, ...times, firing })).toBe(asExpected);
  });

  it.each([
    { late: 4, hours: 47, firing: ticket },
    { late: 1.5, hours: 71, firing: ticket },
    { late: 0.5, hours: 71, firing: [] },
    { late: 4, hours: 1, firing: [] },
  ])('decides on $late late ones in a thousand for $hours hours', async ({ late, hours, firing }) => {
    const steps = hours * 30;
    const before = 2160 - steps;
    const inTime = 2000 - 2 * late;
    const series = instance('a', {
      ...firstAttempts({
        started: '0+2000x2160',
        inTime: `0+2000x${before} ${before * 2000 + inTime}+${inTime}x${steps - 1}`,
      }),
      ...waiting('-70+120x2160'),
    });
    expect(await replay({ alert, series, ...times, firing: { '72h': firing } })).toBe(asExpected);
  });

  it('fires on a day of late ones after days with more certificates', async () => {
    const series = instance('a', {
      ...firstAttempts({
        started: '0+20000x1440 28802000+2000x719',
        inTime: '0+20000x1440 28801984+1984x719',
      }),
      ...waiting('-70+120x2160'),
    });
    expect(await replay({ alert, series, ...times, firing: { '48h': [], '72h': ticket } })).toBe(asExpected);
  });
});

describe('CertificateWebhooksRetriesLate', needs('promtool'), () => {
  const alert = 'RetriesLate';
  const tier = [{ tier: '10s' }];

  it('fires if many retries start more than a minute late', async () => {
    const series = {
      ...instance('a', retries({ started: '900+2x60', inTime: '900+1.6x60' })),
      ...instance('b', retries({ started: '500+2x60', inTime: '500+1.6x60' })),
    };
    expect(await replay({ alert, series, firing: { '15m': [], '45m': tier } })).toBe(asExpected);
  });

  it('is quiet about a small share, and about a handful', async () => {
    const some = instance('a', retries({ started: '9000+100x60', inTime: '9000+95x60' }));
    expect(await replay({ alert, series: some, firing: { '35m': [], '60m': [] } })).toBe(asExpected);
    const handful = instance('a', retries({ started: '0x20 0+1x8 8x60', inTime: '0x89' }));
    expect(await replay({ alert, series: handful, firing: { '30m': [], '40m': [], '60m': [] } })).toBe(asExpected);
  });

  it('fires if no instance reads a retry topic', async () => {
    const topic = 'certificate-webhooks.retry.24h';
    const nothing = { [`assigned_partitions{topic="${topic}"}`]: '0x30' };
    const series = { ...instance('a', nothing), ...instance('b', nothing) };
    expect(await replay({ alert, series, firing: { '14m': [], '16m': [{ topic }] } })).toBe(asExpected);
  });

  it('is quiet if one instance reads it, and about certificate topics', async () => {
    const topic = 'certificate-webhooks.retry.24h';
    const series = {
      ...instance('a', { [`assigned_partitions{topic="${topic}"}`]: '0x30' }),
      ...instance('b', {
        [`assigned_partitions{topic="${topic}"}`]: '12x30',
        'assigned_partitions{topic="certificates.completed"}': '0x30',
      }),
    };
    expect(await replay({ alert, series, firing: { '30m': [] } })).toBe(asExpected);
  });

  it.each(['certificate-webhooks.retry.10s', 'certificate-webhooks.retry.10m'])(
    'fires if no record of %s is settled',
    async (topic) => {
      const series = instance('a', stalled(topic));
      expect(await replay({ alert, series, firing: { '30m': [], '60m': [{ topic }] } })).toBe(asExpected);
    },
  );

  it.each(['certificate-webhooks.retry.1h', 'certificate-webhooks.retry.24h', 'certificate-webhooks.retry.15m'])(
    'is quiet if no record of %s is settled for an hour',
    async (topic) => {
      const series = instance('a', stalled(topic));
      expect(await replay({ alert, series, firing: { '60m': [], '90m': [] } })).toBe(asExpected);
    },
  );

  it('is quiet if records waited at the last scrapes of two instances', async () => {
    const topic = 'topic="certificate-webhooks.retry.10s"';
    const lag = `consumer_lag_records{${topic},partition="0"}`;
    const settled = `records_settled_total{${topic},result="delivered"}`;
    const series = {
      ...instance('a', { [settled]: '5x40 stale', [lag]: '0x39 1 stale' }),
      ...instance('b', { [settled]: '_x41 0x1 stale', [lag]: '_x42 1 stale' }),
      ...instance('c', { [settled]: '_x44 2x60', [lag]: '_x44 0x60' }),
    };
    expect(await replay({ alert, series, firing: { '55m': [], '56m': [], '57m': [], '60m': [] } })).toBe(asExpected);
  });

  it('is quiet about a retry topic that is empty, and about one that is never empty', async () => {
    const [empty, busy] = ['topic="certificate-webhooks.retry.10s"', 'topic="certificate-webhooks.retry.1m"'];
    const series = instance('a', {
      [`records_settled_total{${empty},result="delivered"}`]: '70x90',
      [`consumer_lag_records{${empty},partition="0"}`]: '0x90',
      [`records_settled_total{${busy},result="delivered"}`]: '70+9x90',
      [`consumer_lag_records{${busy},partition="0"}`]: '9x90',
    });
    expect(await replay({ alert, series, firing: { '60m': [], '90m': [] } })).toBe(asExpected);
  });
});

function firstAttempts(counts: { readonly started: string; readonly inTime: string }): Series {
  return { ...histogram('queue_delay_seconds', 'event_type="certificate_completed"', counts), ...fromTiers('0x2400') };
}

/** Returns the attempts from retry topics. `again` counts those that are not the first of their delivery. */
function fromTiers(all: string, again = all): Series {
  return {
    ...retries({ started: all, inTime: all }),
    'delivery_attempts_total{outcome="delivered",status_class="2xx",attempt="retry"}': again,
  };
}

function waiting(since: string): Series {
  return { 'oldest_unsettled_record_timestamp_seconds{topic="certificates.completed"}': since };
}

function retries(counts: { readonly started: string; readonly inTime: string }): Series {
  return histogram('retry_lateness_seconds', 'tier="10s"', counts);
}

function histogram(
  name: string,
  labels: string,
  { started, inTime }: Readonly<Record<'started' | 'inTime', string>>,
): Series {
  return {
    [`${name}_count{${labels}}`]: started,
    [`${name}_bucket{${labels},le="30"}`]: inTime,
    [`${name}_bucket{${labels},le="60"}`]: inTime,
    [`${name}_bucket{${labels},le="+Inf"}`]: started,
  };
}

function stalled(topic: string): Series {
  return {
    [`records_settled_total{topic="${topic}",result="retried"}`]: '0+5x10 50x90',
    [`consumer_lag_records{topic="${topic}",partition="0"}`]: '0+5x100',
    [`assigned_partitions{topic="${topic}"}`]: '1x100',
  };
}
