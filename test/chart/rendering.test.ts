import { readFile, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { chartFolder, lint, template, type Values } from '../support/helm/helm.ts';
import { helmVersions } from '../support/helm/tools.ts';
import { parseManifests } from '../support/kubernetes/manifests.ts';
import { podsIn } from '../support/kubernetes/pods.ts';
import { needs } from '../support/programs/needs.ts';
import { cases } from './cases.ts';
import { writeTemporaryFiles, type TemporaryFiles } from '../support/files/temporary-files.ts';

const all = Object.entries<Values>(cases);
const name = 'certificate-webhooks';

describe('the strict linter', needs('helm'), () => {
  it.each(all)('accepts the chart: %s', async (_about, values) => {
    expect(await lint(values)).toContain('0 chart(s) failed');
  });

  it.each(helmVersions)('accepts the chart with all values together: %s', async (helm) => {
    expect(await lint(cases['all values together'], { helm })).toContain('0 chart(s) failed');
  });
});

describe('the chart', needs('helm'), () => {
  it.each(['1.27.0', '1.31.2', '1.36.1', '1.33.5-gke.1200', '1.32.0-eks-1a2b3c'])(
    'is for Kubernetes %s',
    async (kubeVersion) => {
      const values = cases['all values together'];
      expect(await template(values, { kubeVersion })).toBe(await template(values));
    },
  );

  it('takes a value or a section that is null as if it were not given, and no other empty one', async () => {
    const { settings } = cases['only brokers'];
    const {
      settings: _,
      replicas: __,
      ...others
    } = parse(await readFile(join(chartFolder, 'values.yaml'), 'utf8')) as Values;
    // A null removes a single member of what is passed on as it is, as usual with Helm.
    const sections = Object.entries(others).filter(
      ([key, value]) =>
        Object.keys(Object(value)).length > 0 &&
        !Array.isArray(value) &&
        typeof value === 'object' &&
        !/SecurityContext$|^strategy$|^resources$/i.test(key),
    );
    const nullsIn = (value: unknown) => Object.fromEntries(Object.keys(Object(value)).map((key) => [key, null]));
    const without = await template({ settings });
    expect(await template({ ...nullsIn(others), settings })).toBe(without);
    const nested = Object.fromEntries(sections.map(([key, value]) => [key, nullsIn(value)]));
    expect(await template({ ...nested, settings })).toBe(without);
    const empty = await template({ settings, revisionHistoryLimit: 0, serviceAccount: { create: false } });
    expect(empty).toContain('revisionHistoryLimit: 0');
    expect(empty).not.toContain('kind: ServiceAccount');
  });

  it('refuses a version of Kubernetes that is too old', async () => {
    const rendering = template(cases['only brokers'], { kubeVersion: '1.26.9' });
    await expect(rendering).rejects.toThrow('incompatible with Kubernetes');
  });
});

describe('as a subchart, it', needs('helm'), () => {
  const values = cases['all values together'];

  it.each(helmVersions)('renders the same, also with other global values of the parent, with %s', async (helm) => {
    await using parent = await writeParentChart();
    const wrapped = { global: { storageClass: 'fast' }, [name]: { ...values, enabled: true } };
    const rendering = await template(wrapped, { helm, chart: parent.root });
    expect(parseManifests(rendering)).toEqual(parseManifests(await template(values, { helm })));
  });

  it('takes the registry and its credentials from the parent', async () => {
    await using parent = await writeParentChart();
    const imagePullSecrets = ['mirror', { name: 'registry' }];
    const own = { image: { pullSecrets: ['registry', 'own'] }, topicsJob: { enabled: true } };
    const wrapped = {
      global: { imageRegistry: 'mirror.example.com/cache', imagePullSecrets },
      [name]: { ...cases['only brokers'], ...own, enabled: true },
    };
    const pods = podsIn(parseManifests(await template(wrapped, { chart: parent.root })));
    expect(pods.length).toBeGreaterThan(1);
    for (const { container, spec } of pods) {
      expect(container.image).toBe(`mirror.example.com/cache/${name}:${packageJson.version}`);
      expect(spec.imagePullSecrets).toEqual([{ name: 'mirror' }, { name: 'registry' }, { name: 'own' }]);
    }
  });

  it('renders nothing if it is turned off', async () => {
    await using parent = await writeParentChart();
    expect(parseManifests(await template({ [name]: { enabled: false } }, { chart: parent.root }))).toEqual([]);
    expect(parseManifests(await template({ tags: { events: false } }, { chart: parent.root }))).toEqual([]);
  });

  it('can have another name', async () => {
    await using parent = await writeParentChart('outbound');
    const rendering = await template({ outbound: values }, { chart: parent.root });
    const names = parseManifests(rendering).map(({ metadata }) => metadata?.name);
    expect(names).toContain('hooks-outbound');
  });
});

/** A chart that has this one as a subchart and turns it on by `enabled`. */
async function writeParentChart(alias?: string): Promise<TemporaryFiles> {
  const condition = `${alias ?? name}.enabled`;
  const dependency = { name, version: '*', condition, tags: ['events'], ...(alias === undefined ? {} : { alias }) };
  const chart = { apiVersion: 'v2', name: 'platform', version: '1.0.0', dependencies: [dependency] };
  const files = await writeTemporaryFiles({ 'Chart.yaml': stringify(chart) });
  await cp(chartFolder, files.path(join('charts', name)), { recursive: true });
  return files;
}
