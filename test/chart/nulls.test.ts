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
  return template(values).catch((error: unknown) => String(error));
}

describe('a value that is null', needs('helm'), () => {
  it.each(Object.keys(defaults))('renders as if it were not given: %s', { timeout: 60_000 }, async (name) => {
    const differing = await Promise.all(
      pathsIn(defaults[name], [name]).map(async (path) => {
        const [withNull, without] = [replaced(given, path, null), replaced(given, path, undefined)];
        return (await rendering(withNull)) === (await rendering(without)) ? [] : [path.join('.')];
      }),
    );
    expect(differing.flat()).toEqual([]);
  });

  it('does not replace false, zero or an empty text that is given', async () => {
    const settings = { KAFKA_BROKERS: 'kafka:9092' };
    const rendered = await rendering({ settings, replicas: 2, revisionHistoryLimit: 0 });
    expect(rendered).toContain('revisionHistoryLimit: 0');
    expect(await rendering({ settings, serviceAccount: { create: false } })).not.toContain('kind: ServiceAccount');
  });
});
