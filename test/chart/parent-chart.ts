import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { chartFolder } from '../support/helm/helm.ts';

interface ParentChart extends AsyncDisposable {
  readonly path: string;
}

/** A chart that has this one as a subchart and turns it on by `enabled`. */
export async function writeParentChart(alias?: string): Promise<ParentChart> {
  const path = await mkdtemp(join(tmpdir(), 'parent-chart-'));
  const name = 'certificate-webhooks';
  const condition = `${alias ?? name}.enabled`;
  const dependency = { name, version: '*', condition, tags: ['events'], ...(alias === undefined ? {} : { alias }) };
  const chart = { apiVersion: 'v2', name: 'platform', version: '1.0.0', dependencies: [dependency] };
  await mkdir(join(path, 'charts'));
  await cp(chartFolder, join(path, 'charts', name), { recursive: true });
  await writeFile(join(path, 'Chart.yaml'), stringify(chart));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
