import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import { needs } from '../support/programs/needs.ts';
import { parseExposition } from '../telemetry/support/exposition.ts';
import { someMetrics } from '../telemetry/support/metrics.ts';
import { readText } from '../support/files/sources.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { asAsked, panelsOf, pathOf, questionsOf, shippedDashboards, type Panel } from './support/dashboards.ts';
import { promtool } from './support/promtool.ts';
import { bareMetrics, familyOf, selectorsOf, type Selector } from './support/selectors.ts';
import { shippedRules } from './support/shipped.ts';

const dashboards = shippedDashboards();
const chosenDatasource = { type: 'prometheus', uid: '${datasource}' };

describe.each(dashboards)('the dashboard $title', (dashboard) => {
  it('has an address that stays, links to the others, and can not be changed in place', () => {
    expect(dashboard).toMatchObject({ editable: false, graphTooltip: 1, tags: ['certificate-webhooks'] });
    expect(dashboard.uid).toMatch(/^certificate-webhooks-[a-z]+$/);
    expect(dashboard.links).toMatchObject([
      { type: 'dashboards', tags: ['certificate-webhooks'], includeVars: true, keepTime: true },
    ]);
  });

  it('can be provisioned: it asks nothing when it is imported, and names no data source of one installation', () => {
    const text = readText(pathOf(dashboard.uid));
    expect(text).not.toContain('__inputs');
    expect(text).not.toContain('DS_PROMETHEUS');
    const uids = new Set(
      [...text.matchAll(/"datasource": \{\s*"type": "([^"]+)",\s*"uid": "([^"]+)"/g)].map(([, ...at]) => at.join()),
    );
    expect([...uids]).toEqual(['prometheus,${datasource}']);
  });

  it('lets its viewer choose data source, namespace, job and instances', () => {
    const many = { multi: true, includeAll: true, refresh: 2, datasource: chosenDatasource };
    expect(dashboard.templating.list).toMatchObject([
      { name: 'datasource', type: 'datasource', query: 'prometheus' },
      { ...many, name: 'namespace', allValue: '.*' },
      { ...many, name: 'job', allValue: '.+' },
      { ...many, name: 'instance', allValue: '.+' },
    ]);
  });

  it('has panels side by side, none over another', () => {
    const { panels } = dashboard;
    const overlaps = panels.flatMap((one, index) =>
      panels
        .slice(index + 1)
        .filter((other) => overlap(one, other))
        .map((other) => `${one.title} and ${other.title}`),
    );
    expect(overlaps).toEqual([]);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  it.each(panelsOf(dashboard))('says in "$title" what it shows, in which unit, and what to do', (panel) => {
    expect(panel.title).not.toBe('');
    expect(panel.description).toMatch(/^\S.{80,}\.$/);
    expect(panel.fieldConfig.defaults.unit).toMatch(/^\w+$/);
    expect(panel.datasource).toEqual(chosenDatasource);
    expect(panel.targets.length).toBeGreaterThan(0);
    for (const target of panel.targets) expect(target.datasource).toEqual(chosenDatasource);
    const refs = panel.targets.map(({ refId }) => refId);
    expect(new Set(refs).size).toBe(refs.length);
  });

  it.each(questionsOf(dashboard))('asks about what its viewer has chosen in "$where"', ({ expression }) => {
    expect(bareMetrics(expression)).toEqual([]);
    expect(selectorsOf(expression).filter((selector) => !isChosen(selector))).toEqual([]);
  });

  it.each(questionsOf(dashboard))('counts by rate, over an interval that fits, in "$where"', ({ expression }) => {
    const rest = expression
      .replaceAll(/\b(?:rate|increase)\(\w+\{[^}]*\}\[\$__rate_interval\]\)/g, '')
      .replaceAll(/\bsum_over_time\(job:[\w:]+\{[^}]*\}\[30d\]\)/g, '');
    expect(rest).not.toMatch(/_(?:total|bucket|count|sum)\{/);
    expect(rest).not.toMatch(/\}\[/);
  });
});

describe('the questions of all dashboards', () => {
  const questions = dashboards.flatMap(questionsOf);

  it('are valid', needs('promtool'), async () => {
    const rules = questions.map(({ expression }, index) => ({
      record: `question:${index}`,
      expr: asAsked(expression),
    }));
    const groups = stringify({ groups: [{ name: 'questions', rules }] });
    await using files = await writeTemporaryFiles({ 'rules.yaml': groups });
    const run = await promtool(['check', 'rules', files.path('rules.yaml')]);
    expect(run).toMatchObject({
      succeeded: true,
      output: expect.stringContaining(`${questions.length} rules found`) as string,
    });
  });

  it('are about metrics that there are, and leave none of ours out', async () => {
    const exposed = [...parseExposition(await someMetrics().render()).keys()];
    const recorded = shippedRules('recording').flatMap(({ rules }) => rules.map(({ record = '' }) => record));
    const asked = new Set(questions.flatMap(({ expression }) => selectorsOf(expression).map(({ metric }) => metric)));
    const known = new Set(['ALERTS', ...exposed, ...recorded]);
    expect([...asked].filter((metric) => !known.has(familyOf(metric)))).toEqual([]);
    const shown = new Set([...asked].map(familyOf));
    expect(exposed.filter((name) => name.startsWith('certificate_webhooks_') && !shown.has(name))).toEqual([]);
  });
});

function overlap({ gridPos: one }: Panel, { gridPos: other }: Panel): boolean {
  const across = one.x < other.x + other.w && other.x < one.x + one.w;
  const down = one.y < other.y + other.h && other.y < one.y + one.h;
  return across && down;
}

/** Alerts are no instance's, and what is kept is over all instances. */
function isChosen({ metric, matchers }: Selector): boolean {
  const chosen = ['namespace=~"$namespace"'];
  if (metric !== 'ALERTS') chosen.push('job=~"$job"');
  if (/^(?!job:)\w+$/.test(metric) && !/^ALERTS$|_build_info$/.test(metric)) chosen.push('instance=~"$instance"');
  return chosen.every((matcher) => matchers.includes(matcher));
}
