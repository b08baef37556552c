import { describe, expect, it } from 'vitest';
import { needs } from '../../support/programs/needs.ts';
import { readText } from '../../support/files/sources.ts';
import { asExpected, instance, replay, type Series } from '../support/replay.ts';

const completed = 'topic="certificates.completed"';
const topic = 'certificates.completed';

describe('CertificateWebhooksAbsent', needs('promtool'), () => {
  const alert = 'Absent';

  it('fires ten minutes after the last instance is gone', async () => {
    const series = { ...instance('a', { build_info: '1x10' }), ...instance('b', { build_info: '1x10' }) };
    const firing = {
      '18m': [],
      '22m': [{ severity: 'page' }],
      '5h': [{ severity: 'page' }],
      '9h': [{ severity: 'page' }],
    };
    expect(await replay({ alert, series, firing })).toBe(asExpected);
  });

  it('fires for a cluster that is gone while another one runs', async () => {
    const running = (cluster: string): string => `certificate_webhooks_build_info{cluster="${cluster}",job="webhooks"}`;
    const series = { [running('eu')]: '1x60', [running('us')]: '1x10' };
    expect(await replay({ alert, series, firing: { '18m': [], '22m': [{ cluster: 'us' }] } })).toBe(asExpected);
  });

  it('fires if there never was an instance', async () => {
    expect(await replay({ alert, series: {}, firing: { '4m': [], '5m': [{ severity: 'page' }] } })).toBe(asExpected);
  });

  it('is quiet while one of two instances runs, and if scrapes fail for a few minutes', async () => {
    const series = { ...instance('a', { build_info: '1x10 _x7 1x20' }), ...instance('b', { build_info: '1x3' }) };
    expect(await replay({ alert, series, firing: { '12m': [], '18m': [], '30m': [] } })).toBe(asExpected);
  });
});

describe('CertificateWebhooksNotSettling', needs('promtool'), () => {
  const alert = 'NotSettling';

  it('fires if records wait and none of their topic is settled', async () => {
    const series = instance('a', ofTopic({ settled: '0+10x10 100x30', lag: '0x10 5+5x30', assigned: '1x40' }));
    expect(await replay({ alert, series, firing: { '19m': [], '26m': [{ topic }] } })).toBe(asExpected);
  });

  it('fires if nothing was settled since the start', async () => {
    const series = instance('a', ofTopic({ settled: '0x30', lag: '3x30', assigned: '1x30' }));
    expect(await replay({ alert, series, firing: { '16m': [{ topic }] } })).toBe(asExpected);
  });

  it('fires even if some scrapes fail', async () => {
    const series = instance(
      'a',
      ofTopic({ settled: '0x12 _x3 0x20', lag: '3x12 _x3 3x20', assigned: '1x12 _x3 1x20' }),
    );
    expect(await replay({ alert, series, firing: { '17m': [{ topic }] } })).toBe(asExpected);
  });

  it('fires if one partition is not read', async () => {
    const series = instance('a', {
      ...ofTopic({ settled: '0+100x30', lag: '0x5 1+9x25', uncommitted: '0x30' }),
      ...ofTopic({ lag: '80x30', uncommitted: '70x30' }, '1'),
    });
    expect(await replay({ alert, series, firing: { '17m': [], '21m': [{ topic }] } })).toBe(asExpected);
  });

  it('fires if one record blocks its partition', async () => {
    const series = {
      ...instance('a', ofTopic({ settled: '0+100x30', lag: '0x5 1+9x25', oldest: '_x5 300x25' })),
      ...instance('b', ofTopic({ settled: '0+100x30', lag: '2x30', oldest: '0+60x30' }, '1')),
    };
    expect(await replay({ alert, series, firing: { '19m': [], '21m': [{ topic }] } })).toBe(asExpected);
  });

  it('fires if a blocked partition moves to another instance', async () => {
    const series = {
      ...instance('a', ofTopic({ settled: '0+100x30', oldest: '_x5 300x6 _x19' })),
      ...instance('b', ofTopic({ settled: '0+100x30', oldest: '_x12 300x18' })),
    };
    expect(await replay({ alert, series, firing: { '21m': [{ topic }] } })).toBe(asExpected);
  });

  it('fires if a partition that is not read moves to another instance', async () => {
    const series = {
      ...instance('a', unread('70x10 stale', '0x10 stale')),
      ...instance('b', unread('_x12 70x20', '_x12 0x20')),
    };
    expect(await replay({ alert, series, firing: { '18m': [{ topic }] } })).toBe(asExpected);
  });

  it('clears once the partition is read', async () => {
    const series = instance('a', unread('70x20 0x20', '0x40'));
    expect(await replay({ alert, series, firing: { '20m': [{ topic }], '25m': [] } })).toBe(asExpected);
  });

  it('is quiet if a partition was not read at the last scrape of its instance', async () => {
    const series = {
      ...instance('a', unread('0x9 4 stale', '0x11')),
      ...instance('b', unread('_x11 4 stale', '_x11 0 stale')),
      ...instance('c', unread('_x13 0x20', '_x13 0x20')),
    };
    const firing = { '14m': [], '16m': [], '18m': [], '20m': [], '25m': [] };
    expect(await replay({ alert, series, firing })).toBe(asExpected);
  });

  it.each(['samples', 'samples-of-cached-lag'])(
    'is quiet during a recorded roll-out, and after it (%s)',
    async (name) => {
      const { interval, series } = recordedRollOut(name);
      const firing = Object.fromEntries(Array.from({ length: 15 }, (_, minute) => [`${minute}m`, []]));
      expect(await replay({ alert, series, interval, firing })).toBe(asExpected);
    },
  );

  it('fires if one partition is not read in that roll-out', async () => {
    const { interval, series } = recordedRollOut('samples');
    const firing = { '10m': [], '14m': [{ topic }] };
    expect(await replay({ alert, series: withUnread(series, '3'), interval, firing })).toBe(asExpected);
  });

  it('fires if no instance has a partition of the topic', async () => {
    const series = { ...instance('a', ofTopic({ assigned: '0x20' })), ...instance('b', ofTopic({ assigned: '0x20' })) };
    expect(await replay({ alert, series, firing: { '4m': [], '6m': [{ topic }] } })).toBe(asExpected);
  });

  it('fires if no instance knows the lag of the topic', async () => {
    const series = instance('a', ofTopic({ assigned: '2x20', lag: '0x3' }));
    expect(await replay({ alert, series, firing: { '8m': [], '15m': [{ topic }] } })).toBe(asExpected);
  });

  it('is quiet while every subscriber fails', async () => {
    const series = instance('a', {
      ...ofTopic({ settled: '50x60', lag: '400x60', oldest: '-30+60x60', assigned: '1x60' }),
      [`records_settled_total{${completed},result="retried"}`]: '0+20x60',
      [`delivery_attempts_total{outcome="timeout",status_class="none",attempt="first"}`]: '0+20x60',
    });
    expect(await replay({ alert, series, firing: { '30m': [], '60m': [] } })).toBe(asExpected);
  });

  it('is quiet without records, and when the first record arrives', async () => {
    // The lag is requested from time to time, so it may be seen briefly after the record is settled.
    const series = instance('a', ofTopic({ settled: '7x30 8x30', lag: '0x30 1 0x29', assigned: '1x60' }));
    expect(await replay({ alert, series, firing: { '29m': [], '36m': [], '41m': [], '46m': [] } })).toBe(asExpected);
  });

  it('is quiet if an instance restarts between two records', async () => {
    const series = {
      ...instance('a', ofTopic({ settled: '7x10', lag: '0x10', assigned: '2x10' })),
      // It settled a record before its first scrape.
      ...instance('b', ofTopic({ settled: '_x12 1x40', lag: '_x12 1 0x39', assigned: '_x12 2x40' })),
    };
    expect(await replay({ alert, series, firing: { '17m': [], '25m': [], '40m': [] } })).toBe(asExpected);
  });

  it('is quiet about retry topics, read or not', async () => {
    const tier = 'topic="certificate-webhooks.retry.24h"';
    const series = instance('a', {
      [`records_settled_total{${tier},result="delivered"}`]: '0x60',
      [`consumer_lag_records{${tier},partition="0"}`]: '90x60',
      [`assigned_partitions{${tier}}`]: '1x60',
      'assigned_partitions{topic="certificate-webhooks.retry.6h"}': '0x60',
    });
    expect(await replay({ alert, series, firing: { '60m': [] } })).toBe(asExpected);
  });

  it('is quiet while a backlog is read', async () => {
    // From time to time everything that was read is committed.
    const uncommitted = '0 9000 '.repeat(30);
    const lags = { lag: '300000-5000x59', uncommitted, oldest: '-600000+9000x60' };
    const series = instance('a', ofTopic({ settled: '0+5000x60', assigned: '1x60', ...lags }));
    expect(await replay({ alert, series, firing: { '20m': [], '50m': [] } })).toBe(asExpected);
  });
});

describe('CertificateWebhooksOffsetReset', needs('promtool'), () => {
  const alert = 'OffsetReset';
  const resets = `offset_resets_total{${completed}}`;

  it('fires at once if a running instance resets its offset', async () => {
    const series = instance('a', { [resets]: '0x60 1x60', process_start_time_seconds: '-90000x120' });
    expect(
      await replay({ alert, series, firing: { '60m': [], '61m': [{ topic }], '85m': [{ topic }], '100m': [] } }),
    ).toBe(asExpected);
  });

  it('fires if an instance did so at start, before its first scrape', async () => {
    const series = instance('a', { [resets]: '_x60 1x60', process_start_time_seconds: '_x60 3600x60' });
    expect(await replay({ alert, series, firing: { '61m': [{ topic }], '85m': [{ topic }], '95m': [] } })).toBe(
      asExpected,
    );
  });

  it('is quiet about an old reset, also after a gap without scrapes', async () => {
    const series = instance('a', {
      [resets]: '2x60 _x20 2x60',
      process_start_time_seconds: '-90000x60 _x20 -90000x60',
    });
    const firing = { '60m': [], '81m': [], '105m': [], '112m': [], '130m': [] };
    expect(await replay({ alert, series, firing })).toBe(asExpected);
  });

  it('is quiet about an instance that starts without a reset', async () => {
    const series = instance('a', { [resets]: '_x60 0x60', process_start_time_seconds: '_x60 3600x60' });
    expect(await replay({ alert, series, firing: { '61m': [], '80m': [] } })).toBe(asExpected);
  });
});

describe('CertificateWebhooksRetentionAtRisk', needs('promtool'), () => {
  const alert = 'RetentionAtRisk';
  const oldest = `oldest_unsettled_record_timestamp_seconds{${completed}}`;

  it('fires if a record has waited for half of seven days', async () => {
    const series = { ...instance('a', { [oldest]: '0x400' }), ...instance('b', { [oldest]: '0+900x400' }) };
    const firing = { '84h': [], '84h15m': [], '84h45m': [{ topic }] };
    expect(await replay({ alert, series, interval: '15m', firing })).toBe(asExpected);
  });

  it('is quiet if the oldest record is younger, and if nothing waits', async () => {
    const series = instance('a', { [oldest]: '0x80 _x10 200000x20' });
    expect(await replay({ alert, series, interval: '1h', firing: { '80h': [], '88h': [], '105h': [] } })).toBe(
      asExpected,
    );
  });
});

/** Returns the samples of a roll-out of local processes on a real Kafka. */
function recordedRollOut(name: string): { readonly interval: string; readonly series: Series } {
  return JSON.parse(readText(`test/observability/roll-out/${name}.json`)) as ReturnType<typeof recordedRollOut>;
}

/** Replaces the lag of a partition by nine unread records. */
function withUnread(series: Series, partition: string): Series {
  const changed = { consumer_lag_records: '9', uncommitted_records: '0' };
  return Object.fromEntries(
    Object.entries(series).map(([name, values]) => {
      const [, value] = Object.entries(changed).find(([metric]) => name.includes(metric)) ?? [];
      const isChanged = value !== undefined && name.includes(`partition="${partition}"`);
      return [name, isChanged ? values.replaceAll(/(?<![x\d.])\d+/g, value) : values];
    }),
  );
}

type Metric = 'settled' | 'lag' | 'uncommitted' | 'oldest' | 'assigned';

/** Returns metrics of the topic and of one of its partitions. */
function ofTopic(values: Readonly<Partial<Record<Metric, string>>>, partition = '0'): Series {
  const series: Readonly<Record<Metric, string>> = {
    settled: `records_settled_total{${completed},result="delivered"}`,
    lag: `consumer_lag_records{${completed},partition="${partition}"}`,
    uncommitted: `uncommitted_records{${completed},partition="${partition}"}`,
    oldest: `oldest_unsettled_record_timestamp_seconds{${completed}}`,
    assigned: `assigned_partitions{${completed}}`,
  };
  return Object.fromEntries(Object.entries(values).map(([name, samples]) => [series[name as Metric], samples]));
}

/** Returns a partition of a topic whose other partitions are read and settled. */
function unread(lag: string, uncommitted: string): Series {
  return ofTopic({ settled: '0+100x40', lag, uncommitted });
}
