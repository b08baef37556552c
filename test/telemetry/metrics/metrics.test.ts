import { createMetrics } from '../../../src/telemetry/metrics/metrics.ts';
import { describe, expect, it } from 'vitest';
import type { GaugeSource } from '../../../src/telemetry/metrics/gauges.ts';
import { movedSamples, parseExposition } from '../support/exposition.ts';
import { someMetrics } from '../support/metrics.ts';

const prefix = 'certificate_webhooks_';
const topics = ['certificates.completed', 'certificates.expired', 'retry.10s', 'retry.1m'];
const outcomes = ['http_error', 'delivered', 'timeout', 'dns_error', 'connect_error', 'tls_error'];
const attemptOutcomes = [...outcomes, 'connection_lost', 'protocol_error', 'blocked'];
const results = ['dead_lettered', 'retried', 'delivered', 'unsubscribed', 'unclaimed', 'ignored'];

const statusClasses = ['2xx', '3xx', '4xx', '5xx', 'none'];

/** Some metrics with the labels and values that are exposed from the start. */
const exposedFromStart = [
  { name: 'records_settled_total', labels: { topic: topics, result: results } },
  {
    name: 'delivery_attempts_total',
    labels: { outcome: attemptOutcomes, status_class: statusClasses, attempt: ['first', 'retry'] },
  },
  { name: 'delivery_duration_seconds', labels: { outcome: attemptOutcomes } },
  { name: 'endpoints', labels: { circuit: ['closed', 'open', 'half_open'] } },
  { name: 'endpoints_failing', labels: {} },
  { name: 'rebalances_total', labels: {} },
];

describe('the metrics of a service that has just started', () => {
  it('have a help text each', async () => {
    const exposed = parseExposition(await someMetrics().render());
    const ours = [...exposed].filter(([name]) => name.startsWith(prefix));
    expect(ours.length).toBeGreaterThan(30);
    expect(ours.filter(([, { help }]) => !/^[A-Z].*\.$|always 1\.$/.test(help))).toEqual([]);
  });

  it.each(exposedFromStart)('include $name with its known labels', async ({ name, labels }) => {
    const exposed = parseExposition(await someMetrics().render()).get(`${prefix}${name}`);
    const counted = exposed?.type === 'histogram' ? '_count' : '';
    const series = [...(exposed?.samples.keys() ?? [])].filter((key) => counted === '' || /_count\b/.test(key));
    const possible = combinations(labels).filter((set) => name !== 'delivery_attempts_total' || isPossible(set));
    expect(series.toSorted()).toEqual(possible.map((set) => `${prefix}${name}${counted}${set}`).toSorted());
  });

  it('include the failed writes of results if there is a topic for them', async () => {
    const metrics = createMetrics({ version: '1.2.3', certificateTopics: [], tiers: [], resultsTopic: 'results' });
    const samples = parseExposition(await metrics.render()).get(`${prefix}handoff_failures_total`)?.samples;
    expect([...(samples?.keys() ?? [])].toSorted()).toEqual(
      ['dead_letter', 'result', 'retry'].map((kind) => `${prefix}handoff_failures_total{kind="${kind}"}`),
    );
  });

  it('are all 0, except the build info', async () => {
    const text = await someMetrics().render();
    expect(movedSamples(text)).toEqual({});
    expect(text).toContain(`build_info{version="1.2.3",node_version="${process.version}"} 1\n`);
  });

  it.each([
    { name: 'delivery_duration_seconds', labels: 'outcome="timeout"', least: '0.005', most: '30' },
    { name: 'delivery_latency_seconds', labels: 'event_type="certificate_expired"', least: '0.01', most: '259200' },
  ])('count $name from $least s to $most s', async ({ name, labels, least, most }) => {
    const text = await someMetrics().render();
    const series = [...text.matchAll(new RegExp(`^${prefix}${name}_bucket\\{le="([^"]+)",${labels}\\} 0$`, 'gm'))];
    const bounds = series.map(([, bound]) => bound);
    expect([bounds[0], ...bounds.slice(-2)]).toEqual([least, most, '+Inf']);
  });

  it('include those of Node and of the process', async () => {
    const exposed = parseExposition(await someMetrics().render());
    expect([...exposed.keys()]).toEqual(
      expect.arrayContaining(['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds']),
    );
  });
});

describe('the gauges', () => {
  it('have the values of their sources at the time of the scrape', async () => {
    const metrics = someMetrics();
    const source = aSource();
    const { pools, endpoints, ...others } = source;
    for (const watched of [{ pools, endpoints }, others]) metrics.watch(watched);
    expect(movedSamples(await metrics.render())).toEqual({
      'in_flight_deliveries{attempt="first"}': 3,
      'in_flight_deliveries_limit{attempt="first"}': 384,
      'in_flight_deliveries_limit{attempt="retry"}': 128,
      'waiting_deliveries{attempt="retry"}': 7,
      unsettled_records: 11,
      unsettled_records_limit: 10_000,
      unsettled_bytes: 6600,
      unsettled_bytes_limit: 67_108_864,
      'endpoints{circuit="closed"}': 5,
      'endpoints{circuit="half_open"}': 1,
      endpoints_failing: 2,
      'webhook_configurations{state="active"}': 40,
      'webhook_configurations{state="invalid"}': 2,
      webhook_configurations_lag_records: 9,
      unsafe_tiers: 1,
      'consumer_lag_records{partition="0",topic="certificates.completed"}': 12,
      'uncommitted_records{partition="0",topic="certificates.completed"}': 4,
      'uncommitted_records{partition="3",topic="certificates.completed"}': 1,
      'oldest_unsettled_record_timestamp_seconds{topic="certificates.completed"}': 1000.25,
      'assigned_partitions{topic="certificates.completed"}': 2,
      'assigned_partitions{topic="retry.10s"}': 1,
      'paused_partitions{reason="span",topic="certificates.completed"}': 1,
    });
  });

  it('of a partition end with its assignment', async () => {
    const metrics = someMetrics();
    let partitions = aSource().partitions();
    metrics.watch({ partitions: () => partitions });
    await metrics.render();
    partitions = [];
    const text = await metrics.render();
    expect(text).not.toContain('partition="');
    expect(text).not.toMatch(/oldest_unsettled_record_timestamp_seconds\{/);
    expect(text).toContain('assigned_partitions{topic="certificates.completed"} 0\n');
  });

  it('of a retired tier are exposed while it is assigned', async () => {
    const metrics = someMetrics();
    const retired = { topic: 'retry.7m', partition: 0, lag: 0, uncommitted: 0, pausedBy: 'records' as const };
    metrics.watch({ partitions: () => [{ ...retired, oldestUnsettledAt: 5000 }] });
    expect(movedSamples(await metrics.render())).toEqual({
      'assigned_partitions{topic="retry.7m"}': 1,
      'paused_partitions{reason="records",topic="retry.7m"}': 1,
    });
  });

  it('fail the scrape if a source throws, instead of showing old values', async () => {
    const metrics = someMetrics();
    metrics.watch({
      configurationsLag: () => {
        throw new TypeError('not now');
      },
    });
    await expect(metrics.render()).rejects.toThrow('not now');
  });
});

describe('the metrics as OpenMetrics', () => {
  const duration = `${prefix}delivery_duration_seconds`;
  const traceId = '0af7651916cd43dd8448eb211c80319c';

  it('are those of the text, counters and default metrics included', async () => {
    const metrics = someMetrics();
    metrics.rebalances.inc({}, 3);
    metrics.deliveryDuration.observe({ outcome: 'delivered' }, 0.2, undefined);
    metrics.watch({ unsettled: aSource().unsettled });
    const samples = async (format: 'text' | 'openMetrics') => {
      const lines = (await metrics.render(format)).split('\n');
      return lines.filter((line) => line.startsWith(prefix) || line.startsWith('nodejs_version_info'));
    };
    expect(await samples('openMetrics')).toEqual(await samples('text'));
    metrics.rebalances.inc({});
    expect(await samples('openMetrics')).toContain(`${prefix}rebalances_total 4`);
  });

  it('name counters without their suffix, have no empty line, and end with their mark', async () => {
    const text = await someMetrics().render('openMetrics');
    expect(text).toContain(`\n# TYPE ${prefix}rebalances counter\n${prefix}rebalances_total 0\n`);
    expect(text).not.toMatch(/^$[^]/m);
    expect(text).toMatch(/\n# EOF\n$/);
  });

  it('name the last trace of each bucket', async () => {
    const metrics = someMetrics();
    for (const [value, trace] of [
      [0.21, 'replaced'],
      [0.22, traceId],
      [0.23, undefined],
      [60, 'longer than all buckets'],
    ] as const) {
      metrics.deliveryDuration.observe({ outcome: 'delivered' }, value, trace);
    }
    const exemplars = (await metrics.render('openMetrics')).split('\n').filter((line) => line.includes(' # '));
    expect(exemplars.map((line) => line.replace(/ [\d.]+$/, ''))).toEqual([
      `${duration}_bucket{le="0.25",outcome="delivered"} 3 # {trace_id="${traceId}"} 0.22`,
      `${duration}_bucket{le="+Inf",outcome="delivered"} 4 # {trace_id="longer than all buckets"} 60`,
    ]);
  });
});

function aSource(): GaugeSource {
  const unknown = { lag: undefined, pausedBy: undefined, oldestUnsettledAt: undefined };
  const partition = { topic: 'certificates.completed', ...unknown };
  return {
    pools: () => [
      { pool: 'first', inFlight: 3, limit: 384, waiting: 0 },
      { pool: 'retry', inFlight: 0, limit: 128, waiting: 7 },
    ],
    unsettled: () => ({ records: 11, recordsLimit: 10_000, bytes: 6600, bytesLimit: 67_108_864 }),
    endpoints: () => ({ closed: 5, open: 0, half_open: 1, failing: 2 }),
    webhooks: () => ({ active: 40, paused: 0, disabled: 0, invalid: 2 }),
    configurationsLag: () => 9,
    unsafeTiers: () => 1,
    partitions: () => [
      { ...partition, partition: 0, lag: 12, uncommitted: 4, pausedBy: 'span', oldestUnsettledAt: 2_000_000 },
      { ...partition, partition: 3, uncommitted: 1, oldestUnsettledAt: 1_000_250 },
      { ...partition, topic: 'retry.10s', partition: 0, lag: 0, uncommitted: 0, oldestUnsettledAt: 1 },
    ],
  };
}

/** Returns all combinations of labels as in the Prometheus text, with the labels in alphabetical order. */
function combinations(labels: Readonly<Record<string, readonly string[] | undefined>>): readonly string[] {
  let sets: readonly (readonly string[])[] = [[]];
  for (const [label, values = []] of Object.entries(labels)) {
    sets = sets.flatMap((set) => values.map((value) => set.concat(`${label}="${value}"`)));
  }
  return sets.map((set) => (set.length === 0 ? '' : `{${set.toSorted().join(',')}}`));
}

/** Returns true for 2xx when delivered, another class after an HTTP error, and `none` without a response. */
function isPossible(set: string): boolean {
  if (set.includes('outcome="delivered"')) return set.includes('"2xx"');
  if (set.includes('outcome="http_error"')) return !set.includes('"2xx"');
  return set.includes('status_class="none"');
}
