import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { writeTemporaryFiles, type TemporaryFiles } from '../support/files/temporary-files.ts';
import { chartFolder } from '../support/helm/helm.ts';

/** A chart that has this one as a subchart and turns it on by `enabled`. */
export async function writeParentChart(alias?: string): Promise<TemporaryFiles> {
  const name = 'certificate-webhooks';
  const condition = `${alias ?? name}.enabled`;
  const dependency = { name, version: '*', condition, tags: ['events'], ...(alias === undefined ? {} : { alias }) };
  const chart = { apiVersion: 'v2', name: 'platform', version: '1.0.0', dependencies: [dependency] };
  const files = await writeTemporaryFiles({ 'Chart.yaml': stringify(chart) });
  await cp(chartFolder, files.path(join('charts', name)), { recursive: true });
  return files;
}
