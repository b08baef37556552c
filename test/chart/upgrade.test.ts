import { cp, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chartFolder, template, type HelmOptions, type Values } from '../support/helm/helm.ts';
import { nameOf, parseManifests } from '../support/kubernetes/manifests.ts';
import { needs } from '../support/programs/needs.ts';
import { cases } from './cases.ts';

const before = cases['all values together'];

/** Returns every value in a rendering, by the name of its object and its path. An upgrade leaves the hooks of tests alone. */
async function leavesOf(values: Values, options?: HelmOptions): Promise<ReadonlyMap<string, unknown>> {
  const manifests = parseManifests(await template(values, options)).filter(({ kind }) => kind !== 'Pod');
  return new Map(manifests.flatMap((manifest) => leaves(nameOf(manifest), manifest)));
}

function leaves(path: string, value: unknown): readonly (readonly [path: string, leaf: unknown])[] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, member]) => leaves(`${path} ${nameIn(value, member) ?? key}`, member));
}

/** Identifies list members by their name, if they have one. */
function nameIn(parent: object, member: unknown): string | undefined {
  const isNamed = Array.isArray(parent) && typeof member === 'object' && member !== null && 'name' in member;
  return isNamed ? String(member.name) : undefined;
}

/** Returns the differences between two renderings, without the release's name as prefix. */
async function changes(after: Values, options?: HelmOptions): Promise<readonly string[]> {
  const [old, young] = [await leavesOf(before), await leavesOf(after, options)];
  const paths = new Set([...old.keys(), ...young.keys()]);
  return [...paths]
    .filter((path) => old.get(path) !== young.get(path))
    .map((path) => path.replace('hooks-certificate-webhooks', '~'));
}

const container = 'Deployment/~ spec template spec containers certificate-webhooks';

describe('an upgrade', needs('helm'), () => {
  it('of the image shows its version everywhere, and restarts the pods only for the image', async () => {
    const changed = await changes({ ...before, image: { tag: '0.2.0' } });
    const others = changed.filter((path) => !path.endsWith('labels app.kubernetes.io/version'));
    expect(others).toEqual([`${container} image`]);
    expect(changed.filter((path) => path.startsWith('Deployment/~ spec template metadata'))).toEqual([]);
  });

  it('of the chart only restarts no pods and changes no selector', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'newer-chart-'));
    const chart = join(folder.path, 'certificate-webhooks');
    await cp(chartFolder, chart, { recursive: true });
    const file = join(chart, 'Chart.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/^version: .*$/m, 'version: 99.0.0+build.1'));
    const changed = await changes(before, { chart });
    expect(changed.length).toBeGreaterThan(5);
    expect(changed.filter((path) => !path.endsWith(' metadata labels helm.sh/chart'))).toEqual([]);
    expect(changed.filter((path) => path.includes(' spec '))).toEqual([]);
  });
});

describe('two releases in one namespace', needs('helm'), () => {
  it('share no object, and select no pods of each other', async () => {
    const render = async (release: string): Promise<readonly string[]> =>
      parseManifests(await template({ ...cases['a network policy'], topicsJob: { enabled: true } }, { release })).map(
        nameOf,
      );
    const [blue, green] = [await render('blue'), await render('green')];
    expect(blue.filter((name) => green.includes(name))).toEqual([]);
  });

  it('have short enough names for any release name', async () => {
    const release = 'r'.repeat(53);
    const values = {
      ...before,
      strimzi: { ...cases['topics by strimzi'].strimzi, topics: { enabled: false }, user: { enabled: false } },
      topicsJob: { enabled: true },
      fullnameOverride: '',
    };
    const manifests = parseManifests(await template(values, { release }));
    const names = manifests
      .filter(({ metadata }) => !metadata?.name?.endsWith('-more') && !metadata?.name?.endsWith('-text'))
      .map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z]+\/[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
  });
});
