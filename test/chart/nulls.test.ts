import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { chartFolder, template, type Values } from '../support/helm/helm.ts';
import { downloadTools } from '../support/helm/tools.ts';
import { needs } from '../support/programs/needs.ts';
import { cases } from './cases.ts';

beforeAll(downloadTools, 300_000);

type Path = readonly string[];

const { admintools } = cases['tools with their own login'];
const given: Values = { ...cases['all values together'], admintools };
const defaults: Values = parse(await readFile(join(chartFolder, 'values.yaml'), 'utf8'));

/** Values from which null removes a single member, as usual with Helm. */
const maps = new Set(['labels', 'annotations', 'podSecurityContext', 'securityContext']);

/** Returns the paths of all values and sections below one. */
function pathsIn(value: unknown, path: Path): readonly Path[] {
  const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isSection || maps.has(path.at(-1) ?? '')) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]))];
}

/** Returns the values with another one at that path, or without it for undefined. */
function replaced(values: Values, [name = '', ...rest]: Path, value: null | undefined): Values {
  const { [name]: current, ...others } = values;
  if (rest.length > 0) return { ...others, [name]: replaced((current ?? {}) as Values, rest, value) };
  return value === undefined ? others : { ...others, [name]: value };
}

/** Returns what Helm renders, or what it complains about. */
async function rendering(values: Values): Promise<string> {
  return template(values).catch((error: unknown) => `${failed}${String(error)}`);
}

const failed = 'failed: ';

/**
 * Returns the paths whose value makes a difference if it is null rather than not given. All of them are rendered together, and
 * in halves only if that differs, or if it fails: a failure could hide what another path does.
 */
async function differing(paths: readonly Path[]): Promise<readonly string[]> {
  const [withNulls, without] = await Promise.all(
    ([null, undefined] as const).map((value) =>
      rendering(paths.reduce((values, path) => replaced(values, path, value), given)),
    ),
  );
  const isSame = withNulls === without;
  if (isSame && (paths.length === 1 || withNulls?.startsWith(failed) === false)) return [];
  if (paths.length === 1) return paths.map((path) => path.join('.'));
  const middle = paths.length / 2;
  return [...(await differing(paths.slice(0, middle))), ...(await differing(paths.slice(middle)))];
}

const all = Object.keys(defaults).flatMap((name) => pathsIn(defaults[name], [name]));

/** Without the first four, the chart is refused. Without the last one, it does not use other values of its section. */
const alone = new Set(['settings', 'existingSecret', 'strimzi', 'strimzi.cluster', 'admintools.existingSecret']);

/** Returns the paths that can be null together: none is below another one, or decides whether that is used. */
function groupOf(path: Path): string {
  const isSection = all.some((other) => other.length > path.length && path.every((name, at) => other[at] === name));
  if (alone.has(path.join('.'))) return path.join('.');
  if (isSection) return `sections of depth ${path.length}`;
  return path.at(-1) === 'enabled' ? 'what turns a part on' : 'all other values';
}

describe('a value that is null', needs('helm'), () => {
  it.each([...Map.groupBy(all, groupOf)])(
    'renders as if it were not given: %s',
    { timeout: 120_000 },
    async (_group, paths) => {
      expect(await differing(paths)).toEqual([]);
    },
  );

  it('does not replace false, zero or an empty text that is given', async () => {
    const settings = { KAFKA_BROKERS: 'kafka:9092' };
    const rendered = await rendering({ settings, replicas: 2, revisionHistoryLimit: 0 });
    expect(rendered).toContain('revisionHistoryLimit: 0');
    expect(await rendering({ settings, serviceAccount: { create: false } })).not.toContain('kind: ServiceAccount');
  });
});
