import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import { needs } from '../support/programs/needs.ts';
import { parseExposition } from '../telemetry/support/exposition.ts';
import { aDelivery } from '../support/builders.ts';
import { someEvents } from '../telemetry/support/events.ts';
import { someMetrics } from '../telemetry/support/metrics.ts';
import { readText } from '../support/files/sources.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { asRequested, isFromLog, panelsOf, pathOf, queriesOf, shippedDashboards } from './support/dashboards.ts';
import { promtool } from './support/promtool.ts';
import { bareMetrics, familyOf, selectorsOf, type Selector } from './support/selectors.ts';
import { shippedRules } from './support/shipped.ts';

const dashboards = shippedDashboards();
const selectedDatasource = { type: 'prometheus', uid: '${datasource}' };
const selectedLogs = { type: 'loki', uid: '${logs}' };

describe.each(dashboards)('the dashboard $title', (dashboard) => {
  it('can be provisioned: it has no import inputs and no fixed data source', () => {
    const text = readText(pathOf(dashboard.uid));
    expect(text).not.toContain('__inputs');
    expect(text).not.toContain('DS_PROMETHEUS');
    const uids = new Set(
      [...text.matchAll(/"datasource": \{\s*"type": "([^"]+)",\s*"uid": "([^"]+)"/g)].map(([, ...at]) => at.join()),
    );
    const fromLog = dashboard.panels.some(isFromLog) ? ['loki,${logs}'] : [];
    expect([...uids]).toEqual(['prometheus,${datasource}', ...fromLog]);
  });

  it.each(panelsOf(dashboard))('describes the panel "$title", with its unit', (panel) => {
    expect(panel.title).not.toBe('');
    expect(panel.description).toMatch(/^\S.{80,}\.$/);
    expect(panel.fieldConfig.defaults.unit).toMatch(/^\w+$/);
    const source = isFromLog(panel) ? selectedLogs : selectedDatasource;
    expect(panel.datasource).toEqual(source);
    expect(panel.targets.length).toBeGreaterThan(0);
    for (const target of panel.targets) expect(target.datasource).toEqual(source);
    const refs = panel.targets.map(({ refId }) => refId);
    expect(new Set(refs).size).toBe(refs.length);
  });

  it.each(queriesOf(dashboard))('selects what the viewer has chosen in "$where"', ({ expression }) => {
    expect(bareMetrics(expression)).toEqual([]);
    expect(selectorsOf(expression).filter((selector) => !isSelected(selector))).toEqual([]);
  });

  it.each(queriesOf(dashboard))(
    'uses counters only as rates, over a suitable interval, in "$where"',
    ({ expression }) => {
      const remaining = expression
        .replaceAll(/\b(?:rate|increase)\(\w+\{[^}]*\}\[\$__rate_interval\]\)/g, '')
        .replaceAll(/\bsum_over_time\(job:[\w:]+\{[^}]*\}\[30d\]\)/g, '');
      expect(remaining).not.toMatch(/_(?:total|bucket|count|sum)\{/);
      expect(remaining).not.toMatch(/\}\[/);
    },
  );
});

describe('the queries of all dashboards', () => {
  const queries = dashboards.flatMap(queriesOf);

  it('are valid', needs('promtool'), async () => {
    const rules = queries.map(({ expression }, index) => ({
      record: `query:${index}`,
      expr: asRequested(expression),
    }));
    const groups = stringify({ groups: [{ name: 'queries', rules }] });
    await using files = await writeTemporaryFiles({ 'rules.yaml': groups });
    const run = await promtool(['check', 'rules', files.path('rules.yaml')]);
    expect(run).toMatchObject({
      succeeded: true,
      output: expect.stringContaining(`${queries.length} rules found`) as string,
    });
  });

  it('use only existing metrics, and every metric of the service', async () => {
    const exposed = [...parseExposition(await someMetrics().render()).keys()];
    const recorded = shippedRules('recording').flatMap(({ rules }) => rules.map(({ record = '' }) => record));
    const used = new Set(queries.flatMap(({ expression }) => selectorsOf(expression).map(({ metric }) => metric)));
    const known = new Set(['ALERTS', ...exposed, ...recorded]);
    expect([...used].filter((metric) => !known.has(familyOf(metric)))).toEqual([]);
    const shown = new Set([...used].map(familyOf));
    expect(exposed.filter((name) => name.startsWith('certificate_webhooks_') && !shown.has(name))).toEqual([]);
  });
});

it('the graphs of histograms show the traces of their exemplars, and no other query asks for them', () => {
  const targets = dashboards
    .flatMap((one) => panelsOf(one).filter((panel) => !isFromLog(panel)))
    .flatMap((one) => one.targets);
  const wrong = targets.filter(({ expr, exemplar = false }) => exemplar !== expr.includes('_bucket{'));
  expect(wrong).toEqual([]);
  expect(targets.filter(({ exemplar }) => exemplar).length).toBeGreaterThan(0);
});

describe('the panel of the worst subscribers', () => {
  const panels = dashboards.flatMap(({ panels: all }) => all.filter(isFromLog));
  const [query = ''] = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

  it('is one table over the selected time, of failed attempts only', () => {
    expect(panels).toMatchObject([{ type: 'table', targets: [{ queryType: 'instant' }] }]);
    expect(query).toMatch(/^topk\(20, sum by \(configurationId, ownerId\) \(count_over_time\(.*\[\$__range\]\)\)\)$/);
    expect(query).toContain('{cluster=~"$cluster",namespace=~"$namespace",container="certificate-webhooks"}');
    expect(query).toContain('outcome != "delivered"');
  });

  it('finds the lines of failed attempts by their text and their fields', () => {
    const { events, text, lines } = someEvents('info', 'failed');
    const outcome = { kind: 'timeout', message: 'no response within 15s' } as const;
    const settlement = { kind: 'retry', tier: 0, dueAt: 0 } as const;
    events.deliveryAttempted({
      delivery: aDelivery(),
      outcome,
      settlement,
      startedAt: 0,
      durationMs: 1,
      from: undefined,
    });
    const [, wanted = ''] = /\|= `([^`]+)`/.exec(query) ?? [];
    expect(text()).toContain(wanted);
    const [, fields = ''] = /\| json ([\w, ]+) \|/.exec(query) ?? [];
    expect(Object.keys(lines()[0] ?? {})).toEqual(expect.arrayContaining(fields.split(', ')));
  });
});

/** Returns true if the selector uses the viewer's selection. Alerts and recorded series have no instance. */
function isSelected({ metric, matchers }: Selector): boolean {
  const chosen = ['cluster=~"$cluster"', 'namespace=~"$namespace"'];
  if (metric !== 'ALERTS') chosen.push('job=~"$job"');
  if (/^(?!job:)\w+$/.test(metric) && !/^ALERTS$|_build_info$/.test(metric)) chosen.push('instance=~"$instance"');
  return chosen.every((matcher) => matchers.includes(matcher));
}
