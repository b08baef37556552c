import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import { needs } from '../support/programs/needs.ts';
import { parseExposition } from '../telemetry/support/exposition.ts';
import { someMetrics } from '../telemetry/support/metrics.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { promtool, type PromtoolRun } from './support/promtool.ts';
import { bareMetrics, familyOf, selectorsOf } from './support/selectors.ts';
import { shippedRules, type ShippedGroup, type ShippedRule } from './support/shipped.ts';

const recordings = shippedRules('recording').flatMap(({ rules }) => rules);
const alerts = shippedRules('alerts').flatMap(({ rules }) => rules);
const groups = [...shippedRules('recording'), ...shippedRules('alerts')];
const byAlert = alerts.map((rule) => [rule.alert ?? '', rule] as const);

const progress = ['Absent', 'NotSettling', 'QueueDelay', 'OffsetReset', 'RetentionAtRisk'];
const pages = [...progress, 'HandoffFailing', 'NoConfigurations', 'FewerConfigurations', 'ManyEndpointsFailing'];
const tickets = [
  'DeadLetters',
  'InvalidConfigurations',
  'RetriesLate',
  'RebalanceStorm',
  'Saturated',
  'ReloadFailed',
  'SchemaRegistryFailing',
  'MoreUnclaimed',
  'BudgetBurn',
  'MixedVersions',
  'RollOutStuck',
];

const valid = { succeeded: true, output: expect.stringContaining('SUCCESS') as string };

describe('the rules', () => {
  it('are valid', needs('promtool'), async () => {
    expect(await check(groups)).toMatchObject(valid);
  });

  it('are valid with another namespace and other thresholds', needs('promtool'), async () => {
    const changed = groups.map(({ name, rules }) => ({ name, rules: rules.map(inProduction) }));
    expect(stringify(changed)).not.toContain('.*"');
    expect(await check(changed)).toMatchObject(valid);
  });

  it.each([...recordings, ...alerts].map((rule) => [rule.record ?? rule.alert ?? '', rule.expr] as const))(
    'let the chart choose the namespace and the job of every metric of %s',
    (_name, expression) => {
      expect(bareMetrics(expression)).toEqual([]);
      const selectors = selectorsOf(expression);
      expect(selectors.length).toBeGreaterThan(0);
      expect(selectors.filter(({ metric, matchers }) => !matchers.startsWith(scopeOf(metric)))).toEqual([]);
    },
  );

  it('use only existing metrics', async () => {
    const exposed = parseExposition(await someMetrics().render()).keys();
    const known = new Set([...exposed, ...recordings.map(({ record }) => record)]);
    const used = [...recordings, ...alerts].flatMap(({ expr }) => selectorsOf(expr).map(({ metric }) => metric));
    expect(used.filter((metric) => !known.has(familyOf(metric)))).toEqual(['kube_deployment_status_condition']);
  });
});

describe('the recording rules', () => {
  it('are named by level, metric and operations', () => {
    const odd = recordings.filter(({ record = '' }) => !/^job:certificate_webhooks_[a-z_]+:[a-z0-9_]+$/.test(record));
    expect(odd).toEqual([]);
  });
});

describe('the alerts', () => {
  it('are exactly the documented ones', () => {
    const found = alerts.map(({ alert, labels }) => `${labels?.['severity']}: ${alert}`);
    const expected = [
      ...pages.map((name) => `page: CertificateWebhooks${name}`),
      ...tickets.map((name) => `ticket: CertificateWebhooks${name}`),
    ];
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it.each(byAlert)('%s has a summary, a description and a runbook', (name, rule) => {
    const { summary = '', description = '', runbook_url: runbook } = rule.annotations ?? {};
    expect(summary).toMatch(/^[A-Z{].{20,110}\.$/);
    expect(description).toMatch(/^[A-Z{].{100,}\.$/);
    expect(runbook).toBe(`docs/operations.md#${name.toLowerCase()}`);
  });

  it.each(byAlert)('%s uses only its own labels in its text', (_name, { expr, annotations }) => {
    const text = Object.values(annotations ?? {}).join();
    const used = [...text.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    expect(used.filter((label) => !new RegExp(`[ "]${label}[)"]`).test(expr))).toEqual([]);
  });

  it('end a line with their threshold, so that the chart can replace it', () => {
    const marked = alerts.flatMap(({ expr }) => expr.split('\n').filter((line) => line.includes('#')));
    expect(marked.length).toBeGreaterThan(5);
    expect(marked.filter((line) => !/[0-9.]+ # threshold$/.test(line))).toEqual([]);
  });
});

/** Returns the first matchers of a selector. The metrics of kube-state-metrics have its job, and name the Deployment. */
function scopeOf(metric: string): string {
  return `namespace=~".*",${metric.startsWith('kube_') ? 'deployment=~".*certificate-webhooks.*"' : 'job=~".*"'}`;
}

function inProduction({ expr, ...rule }: ShippedRule): ShippedRule {
  return {
    ...rule,
    expr: expr
      .replaceAll('namespace=~".*"', 'namespace="production"')
      .replaceAll('job=~".*"', 'job="certificate-webhooks"')
      .replaceAll('deployment=~".*certificate-webhooks.*"', 'deployment="certificate-webhooks"')
      .replaceAll(/[0-9.]+ # threshold/g, '0.5 # threshold'),
  };
}

async function check(rules: readonly ShippedGroup[]): Promise<PromtoolRun> {
  await using files = await writeTemporaryFiles({ 'rules.yaml': stringify({ groups: rules }, { lineWidth: 0 }) });
  return await promtool(['check', 'rules', files.path('rules.yaml')]);
}
