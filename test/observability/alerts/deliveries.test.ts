import { describe, expect, it } from 'vitest';
import { needs } from '../../support/programs/needs.ts';
import { asExpected, instance, replay, type Series } from '../support/replay.ts';

describe('CertificateWebhooksManyEndpointsFailing', { ...needs('promtool'), timeout: 30_000 }, () => {
  const alert = 'ManyEndpointsFailing';
  const page = [{ severity: 'page' }];

  it('fires if many circuits open at once', async () => {
    const series = {
      ...instance('a', endpoints({ open: '1x180 20x20', closed: '40x180 20x20' })),
      ...instance('b', endpoints({ open: '0x180 20x20', closed: '40x180 20x20' })),
    };
    expect(await replay({ alert, series, firing: { '180m': [], '183m': [], '190m': page } })).toBe(asExpected);
  });

  it.each([
    { usual: 0, open: 6, closed: 44, firing: page },
    { usual: 0, open: 4, closed: 4, firing: [] },
    { usual: 0, open: 6, closed: 80, firing: [] },
    { usual: 10, open: 22, closed: 20, firing: page },
    { usual: 10, open: 18, closed: 20, firing: [] },
  ])(
    'compares $open open and $closed closed circuits with the usual $usual',
    async ({ usual, open, closed, firing }) => {
      const series = instance('a', endpoints({ open: `${usual}x180 ${open}x15`, closed: `${closed}x195` }));
      expect(await replay({ alert, series, firing: { '190m': firing } })).toBe(asExpected);
    },
  );

  it('is quiet about endpoints that have long been dead, also at night and after a restart', async () => {
    const series = {
      ...instance('a', endpoints({ open: '50x30 _x30', closed: '500x20 10x10 _x30' })),
      ...instance('b', endpoints({ open: '_x31 0+5x10 50x19', closed: '_x31 10x29' })),
    };
    const firing = { '25h': [], '29h': [], '35h': [], '45h': [] };
    expect(await replay({ alert, series, interval: '1h', firing })).toBe(asExpected);
  });

  it.each([20, 60, 90, 1000, 100_000])(
    'fires within 20 minutes if of %i attempts an hour none succeeds',
    async (hourly) => {
      const [first, all] = [hourly / 60, 3 * (hourly / 60)];
      // Each attempt is at another one of ten endpoints, and retried twice.
      const failing = Array.from({ length: 60 }, (_, minute) => Math.min(10, Math.floor(first * minute))).join(' ');
      const series = instance('a', {
        ...attempts({ delivered: `0+${first}x180 ${first * 180}x60`, failed: `0x180 0+${all}x60` }),
        endpoints_failing: `2x180 ${failing.replaceAll(/\d+/g, (count) => String(2 + Number(count)))}`,
      });
      expect(await replay({ alert, series, firing: { '180m': [], '200m': page, '239m': page } })).toBe(asExpected);
    },
  );

  it.each([
    [
      'the only subscriber does not answer',
      { failed: '0x180 25+1x60', failing: '0x180 1x60', delivered: '0+1x180 180x60' },
    ],
    [
      'little is tried, and as many endpoints fail as ever',
      { failed: '0+1x240', failing: '9x240', delivered: '9x240' },
    ],
    ['some more fail, and others get theirs', { failed: '0+9x240', failing: '2x180 9x60', delivered: '0+1x240' }],
    ['some more have failed, and nothing is tried', { failed: '90x240', failing: '2x180 9x60', delivered: '9x240' }],
  ])('is quiet if %s', async (_, { failed, failing, delivered }) => {
    const series = instance('a', { ...attempts({ delivered, failed }), endpoints_failing: failing });
    expect(await replay({ alert, series, firing: { '200m': [], '230m': [] } })).toBe(asExpected);
  });

  it('fires if requests fail on our side', async () => {
    const failing = {
      ...attempts({ delivered: '900+3x60', failed: '0x60' }),
      'deliveries_deferred_total{reason="local_error"}': '500x30 500+0.5x30',
      'deliveries_deferred_total{reason="paused"}': '0x60',
    };
    const series = { ...instance('a', failing), ...instance('b', failing) };
    expect(await replay({ alert, series, firing: { '30m': [], '55m': page } })).toBe(asExpected);
  });

  it('is quiet if few of them fail, and about deliveries deferred for other reasons', async () => {
    const series = instance('a', {
      ...attempts({ delivered: '0+20x60', failed: '0x60' }),
      'deliveries_deferred_total{reason="local_error"}': '0+1x60',
      'deliveries_deferred_total{reason="circuit_open"}': '0+500x60',
    });
    expect(await replay({ alert, series, firing: { '30m': [], '60m': [] } })).toBe(asExpected);
  });
});

describe('CertificateWebhooksDeadLetters', needs('promtool'), () => {
  const alert = 'DeadLetters';

  it.each(['undecodable', 'invalid_record', 'internal_error', 'too_large'])('fires after one %s', async (reason) => {
    const series = instance('a', {
      ...deadLetters(reason, '0x10 1x100'),
      ...attempts({ delivered: '0+1000x110', failed: '0x110' }),
    });
    const firing = { '10m': [], '12m': [], '20m': [{ reason }], '60m': [{ reason }], '80m': [] };
    expect(await replay({ alert, series, firing })).toBe(asExpected);
  });

  it('fires if more than one in a hundred deliveries is dead-lettered', async () => {
    const series = instance('a', {
      ...deadLetters('exhausted', '500x6 500+10x6 560x60'),
      ...deadLetters('expired', '500x6 500+10x6 560x60'),
      ...attempts({ delivered: '90000+400x80', failed: '90000+9000x80' }),
    });
    const reason = 'exhausted or expired';
    const firing = { '60m': [], '100m': [{ reason }], '4h': [{ reason }], '9h': [] };
    expect(await replay({ alert, series, interval: '10m', firing })).toBe(asExpected);
  });

  it('is quiet if fewer than one in a hundred is dead-lettered', async () => {
    const series = instance('a', {
      ...deadLetters('exhausted', '0+1x60'),
      ...deadLetters('undecodable', '0+5x60'),
      ...attempts({ delivered: '0+120x60', failed: '0x60' }),
    });
    const others = [{ reason: 'undecodable' }];
    expect(await replay({ alert, series, firing: { '30m': others, '60m': others } })).toBe(asExpected);
  });
});

/** Returns the endpoints by circuit, including many half-open ones of endpoints that are long dead. */
function endpoints({ open, closed }: { readonly open: string; readonly closed: string }): Series {
  return {
    'endpoints{circuit="open"}': open,
    'endpoints{circuit="closed"}': closed,
    'endpoints{circuit="half_open"}': closed.replaceAll(/\d+x/g, '90x'),
  };
}

function attempts({ delivered, failed }: { readonly delivered: string; readonly failed: string }): Series {
  return {
    'delivery_attempts_total{outcome="delivered",status_class="2xx",attempt="first"}': delivered,
    'delivery_attempts_total{outcome="timeout",status_class="none",attempt="first"}': failed,
  };
}

function deadLetters(reason: string, values: string): Series {
  return { [`dead_letters_total{reason="${reason}"}`]: values };
}
