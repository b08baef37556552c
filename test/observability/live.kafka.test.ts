import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/time/eventually.ts';
import { needs } from '../support/programs/needs.ts';
import { queriesOfBlock, readPages } from '../docs/support/page.ts';
import { asRequested, queriesOf, shippedDashboards, type Query } from './support/dashboards.ts';
import { startBusyService, traceId, type BusyService } from './support/busy-service.ts';
import { startPrometheus, type Prometheus } from './support/prometheus.ts';
import { promtool } from './support/promtool.ts';
import { bareMetrics, selectorsOf } from './support/selectors.ts';
import { shippedRules } from './support/shipped.ts';

const prefix = 'certificate_webhooks_';

/** Series that must be above zero before the queries run. Otherwise a query could pass with zeros only. */
const requiredSeries = [
  ...['delivered', 'http_error', 'dns_error', 'connect_error', 'blocked'].map(
    (outcome) => `delivery_attempts_total{outcome="${outcome}"}`,
  ),
  ...['delivered', 'retried', 'dead_lettered', 'unclaimed', 'ignored'].map(
    (result) => `records_settled_total{result="${result}"}`,
  ),
  ...['paused', 'configuration_invalid', 'circuit_open'].map(
    (reason) => `deliveries_deferred_total{reason="${reason}"}`,
  ),
  ...['exhausted', 'undecodable', 'invalid_record'].map((reason) => `dead_letters_total{reason="${reason}"}`),
  'retry_lateness_seconds_count',
  'contract_deviations_total{field="expires"}',
  'circuit_transitions_total{circuit="open"}',
  'webhook_configurations{state="invalid"}',
  'in_flight_deliveries{attempt="first"}',
];

describe('a service with every kind of event, scraped by a real Prometheus', needs('prometheus', 'promtool'), () => {
  const parts = new AsyncDisposableStack();
  let service: BusyService;
  let prometheus: Prometheus;

  beforeAll(async () => {
    service = parts.use(await startBusyService());
    prometheus = parts.use(await startPrometheus(service.urls));
    await bothScraped(prometheus);
    await service.begin();
  });
  afterAll(async () => parts.disposeAsync());

  it('counts every kind of event', async () => {
    expect(await withoutResult(prometheus, requiredQueries())).toEqual([]);
  });

  it('names the trace of a record on each histogram of its delivery', async () => {
    for (const name of ['delivery_duration', 'delivery_latency', 'queue_delay']) {
      const exemplars = async () => prometheus.exemplars(`${prefix}${name}_seconds_bucket`);
      await eventually(`${name} has an exemplar`, async () => (await exemplars()).length > 0, { withinMs: 20_000 });
      expect(await exemplars()).toEqual([{ trace_id: traceId }]);
    }
  });

  it('has data for every query of the dashboards', async () => {
    expect(await withoutResult(prometheus, shippedDashboards().flatMap(queriesOf))).toEqual([]);
  });

  it('answers every query of the pages, whose metrics all exist', async () => {
    const queries = readPages().flatMap(({ blocks }) =>
      blocks.filter(({ language }) => language === 'promql').flatMap(({ text }) => queriesOfBlock(text)),
    );
    expect(queries.length).toBeGreaterThan(20);
    for (const query of queries) await prometheus.ask(query);
    const named = new Set(queries.flatMap((query) => bareMetrics(query.replaceAll(/\{[^}]*\}/g, ''))));
    // Some metrics, such as the lag, have no sample in the first seconds.
    await eventually(`Prometheus has ${[...named].join(', ')}`, async () => {
      const names = new Set(await prometheus.names());
      return named.isSubsetOf(names);
    });
  });

  it('has data for every recording rule and alert', async () => {
    expect(await withoutResult(prometheus, queriesOfRules())).toEqual([]);
    const rules = await prometheus.rules();
    expect(rules.filter(({ health, lastError }) => health !== 'ok' || lastError !== undefined)).toEqual([]);
  });

  it('fires tickets, but no pages', async () => {
    const active = async (): Promise<ReadonlyMap<string, string | undefined>> => {
      const rules = await prometheus.rules();
      const waiting = rules.filter(({ state }) => state === 'pending' || state === 'firing');
      return new Map(waiting.map(({ name, labels }) => [name, labels['severity']]));
    };
    const severities = await active();
    expect(severities.get('CertificateWebhooksDeadLetters')).toBe('ticket');
    expect(severities.get('CertificateWebhooksInvalidConfigurations')).toBe('ticket');
    // A lag that was not requested yet makes one page pending, for 15 seconds.
    await eventually('no page is pending', async () => [...(await active()).values()].every((one) => one !== 'page'));
  });

  it('follows the naming rules of Prometheus', async () => {
    const ours = (await service.metrics()).split('\n').filter((line) => line.includes(prefix));
    expect(await promtool(['check', 'metrics'], `${ours.join('\n')}\n`)).toEqual({ succeeded: true, output: '' });
  });
});

/** Waits for two scrapes of both instances. Events before the first scrape would not count as an increase. */
async function bothScraped(prometheus: Prometheus): Promise<void> {
  await eventually('both instances are scraped', async () => {
    const samples = await prometheus.ask(`count_over_time(${prefix}build_info[1m]) > 1`);
    return samples.length === 2;
  });
}

function requiredQueries(): readonly Query[] {
  return requiredSeries.map((series) => ({ where: series, expression: `${prefix}${series} > 0` }));
}

/** Returns the recording rules, and each selector of the alerts: an alert itself has no data while all is well. */
function queriesOfRules(): readonly Query[] {
  const recorded = shippedRules('recording').flatMap(({ rules }) =>
    rules.map(({ record = '', expr }) => ({ where: record, expression: expr })),
  );
  const inAlerts = shippedRules('alerts').flatMap(({ rules }) =>
    rules.flatMap(({ alert = '', expr }) =>
      selectorsOf(expr)
        // Metrics of Kubernetes come from kube-state-metrics.
        .filter(({ metric }) => !metric.startsWith('kube_'))
        .map(({ text }) => ({ where: `${alert}: ${text}`, expression: text })),
    ),
  );
  return [...recorded, ...inAlerts];
}

/** Returns the queries without a numeric result, after waiting for up to 40 s. */
async function withoutResult(prometheus: Prometheus, queries: readonly Query[]): Promise<readonly Query[]> {
  let remaining = queries;
  const runAll = async (): Promise<boolean> => {
    const answers = await Promise.all(remaining.map(async ({ expression }) => prometheus.ask(asRequested(expression))));
    remaining = remaining.filter((_, index) => answers[index]?.every(({ value: [, number] }) => number === 'NaN'));
    return remaining.length === 0;
  };
  await eventually('every query has a result', runAll, { withinMs: 40_000, everyMs: 500 }).catch(() => undefined);
  return remaining;
}
