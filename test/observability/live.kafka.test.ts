import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/time/eventually.ts';
import { needs } from '../support/programs/needs.ts';
import { asAsked, questionsOf, shippedDashboards, type Question } from './support/dashboards.ts';
import { startLivelyService, type LivelyService } from './support/lively-service.ts';
import { startPrometheus, type Prometheus } from './support/prometheus.ts';
import { promtool } from './support/promtool.ts';
import { familyOf, selectorsOf } from './support/selectors.ts';
import { shippedRules } from './support/shipped.ts';

const prefix = 'certificate_webhooks_';

/** What is to have happened before anything is asked: without it, an answer of nothing but zeros would do. */
const happenings = [
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

const metrics = [
  'records_consumed_total',
  'records_settled_total',
  'delivery_attempts_total',
  'delivery_duration_seconds',
  'delivery_latency_seconds',
  'queue_delay_seconds',
  'retry_lateness_seconds',
  'deliveries_deferred_total',
  'retries_scheduled_total',
  'dead_letters_total',
  'contract_deviations_total',
  'handoff_failures_total',
  'in_flight_deliveries',
  'in_flight_deliveries_limit',
  'waiting_deliveries',
  'unsettled_records',
  'unsettled_records_limit',
  'unsettled_bytes',
  'unsettled_bytes_limit',
  'connections_opened_total',
  'endpoints',
  'circuit_transitions_total',
  'webhook_configurations',
  'webhook_configurations_lag_records',
  'consumer_lag_records',
  'uncommitted_records',
  'records_skipped_total',
  'oldest_unsettled_record_timestamp_seconds',
  'assigned_partitions',
  'paused_partitions',
  'offset_resets_total',
  'rebalances_total',
  'commit_failures_total',
  'configuration_reload_failures_total',
  'schema_registry_failures_total',
  'build_info',
];

describe('a service to which everything happens, watched by a real Prometheus', needs('prometheus', 'promtool'), () => {
  const parts = new AsyncDisposableStack();
  let service: LivelyService;
  let prometheus: Prometheus;

  beforeAll(async () => {
    service = parts.use(await startLivelyService());
    prometheus = parts.use(await startPrometheus(service.urls));
    await bothScraped(prometheus);
    await service.begin();
  });
  afterAll(async () => parts.disposeAsync());

  it('counts what happens', async () => {
    expect(await withoutAnswer(prometheus, happened())).toEqual([]);
  });

  it('has an answer to every question of the dashboards', async () => {
    expect(await withoutAnswer(prometheus, shippedDashboards().flatMap(questionsOf))).toEqual([]);
  });

  it('has all that recording rules and alerts look at', async () => {
    expect(await withoutAnswer(prometheus, questionsOfRules())).toEqual([]);
    const rules = await prometheus.rules();
    expect(rules.filter(({ health, lastError }) => health !== 'ok' || lastError !== undefined)).toEqual([]);
  });

  it('gives cause for tickets, and wakes nobody', async () => {
    const active = async (): Promise<ReadonlyMap<string, string | undefined>> => {
      const rules = await prometheus.rules();
      const waiting = rules.filter(({ state }) => state === 'pending' || state === 'firing');
      return new Map(waiting.map(({ name, labels }) => [name, labels['severity']]));
    };
    const severities = await active();
    expect(severities.get('CertificateWebhooksDeadLetters')).toBe('ticket');
    expect(severities.get('CertificateWebhooksInvalidConfigurations')).toBe('ticket');
    // A lag that is yet to be asked for makes one pend, for a quarter of a minute.
    await eventually('no page is pending', async () => [...(await active()).values()].every((one) => one !== 'page'));
  });

  it('has the metrics that are promised, and no others', async () => {
    const names = (await prometheus.names()).filter((name) => name.startsWith(prefix)).map(familyOf);
    expect([...new Set(names)].toSorted()).toEqual(metrics.map((name) => `${prefix}${name}`).toSorted());
  });

  it('names and explains its metrics as Prometheus wants it', async () => {
    const ours = (await service.metrics()).split('\n').filter((line) => line.includes(prefix));
    expect(await promtool(['check', 'metrics'], `${ours.join('\n')}\n`)).toEqual({ succeeded: true, output: '' });
  });
});

/** What is counted before the first scrape is no increase: nothing is to happen before that. */
async function bothScraped(prometheus: Prometheus): Promise<void> {
  await eventually('both instances are scraped', async () => {
    const samples = await prometheus.ask(`count_over_time(${prefix}build_info[1m]) > 1`);
    return samples.length === 2;
  });
}

function happened(): readonly Question[] {
  return happenings.map((series) => ({ where: series, expression: `${prefix}${series} > 0` }));
}

/** Recording rules as a whole; of alerts, which are false as long as all is well, each metric that they look at. */
function questionsOfRules(): readonly Question[] {
  const recorded = shippedRules('recording').flatMap(({ rules }) =>
    rules.map(({ record = '', expr }) => ({ where: record, expression: expr })),
  );
  const looked = shippedRules('alerts').flatMap(({ rules }) =>
    rules.flatMap(({ alert = '', expr }) =>
      selectorsOf(expr).map(({ text }) => ({ where: `${alert}: ${text}`, expression: text })),
    ),
  );
  return [...recorded, ...looked];
}

/** Those that have no number for an answer, once they have had some time. */
async function withoutAnswer(prometheus: Prometheus, questions: readonly Question[]): Promise<readonly Question[]> {
  let left = questions;
  const ask = async (): Promise<boolean> => {
    const answers = await Promise.all(left.map(async ({ expression }) => prometheus.ask(asAsked(expression))));
    left = left.filter((_, index) => answers[index]?.every(({ value: [, number] }) => number === 'NaN'));
    return left.length === 0;
  };
  await eventually('every question has an answer', ask, { withinMs: 40_000, everyMs: 500 }).catch(() => undefined);
  return left;
}
