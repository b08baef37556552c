import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readText, root } from '../support/files/sources.ts';
import { lockForProduction, packagesIn, type Lock } from './production.ts';

it('lists every package of production, including those also used in development', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['test/image/sbom.ts'], { cwd: root });
  const { components, metadata } = JSON.parse(stdout) as Bom;
  const needed = packagesIn(lockForProduction(JSON.parse(readText('package-lock.json')) as Lock));
  expect(components.map(({ name, version }) => `${name}@${version}`).toSorted()).toEqual(needed);
  expect(needed).toEqual(expect.arrayContaining(Object.entries(packageJson.dependencies).map((one) => one.join('@'))));
  expect(metadata.component).toMatchObject({ name: packageJson.name, version: packageJson.version });
});

interface Bom {
  readonly metadata: { readonly component: unknown };
  readonly components: readonly { readonly name: string; readonly version: string }[];
}
