import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from '../support/files/sources.ts';
import { startRegistryServer, type RegistryServer } from '../support/registry/registry-server.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';

const advisory = (severity: string, range: string) => ({
  id: 1,
  url: 'https://example.com/1',
  title: 'A flaw',
  severity,
  vulnerable_versions: range,
  cwe: [],
  cvss: { score: 9, vectorString: null },
});
const inYaml = (severity: string) => ({ yaml: [advisory(severity, '<=2.9.1')] });

it.each([
  ['no vulnerability', {}, 0, '0 vulnerable packages; others below high: 0\n'],
  ['a moderate one', inYaml('moderate'), 0, '0 vulnerable packages; others below high: 1\n'],
  ['a high one', inYaml('high'), 1, 'high: yaml\n1 vulnerable packages; others below high: 0\n'],
  ['a critical one', inYaml('critical'), 1, 'critical: yaml\n1 vulnerable'],
  ['one of a package for development alone', { vitest: [advisory('critical', '*')] }, 0, '0 vulnerable packages'],
])('the audit of a registry that knows %s', async (_what, advisories, code, output) => {
  await using registry = await startRegistry(advisories);
  const audited = await audit(registry.url);
  expect(audited.output).toContain(output);
  expect(audited.code).toBe(code);
});

it('the audit passes if the registry refuses or cannot be reached, and says so', async () => {
  await using refusing = await startRegistry(undefined);
  const [refused, unreachable] = await Promise.all([audit(refusing.url), audit('http://127.0.0.1:1')]);
  for (const { code, output } of [refused, unreachable]) {
    expect(output).toContain('Not audited, because the registry does not answer: ');
    expect(code).toBe(0);
  }
});

async function audit(registry: string): Promise<{ readonly code: number; readonly output: string }> {
  // npm remembers advisories by their id.
  await using cache = await writeTemporaryFiles({});
  const args = ['test/image/audit.ts', `--registry=${registry}`, '--fetch-retries=0', `--cache=${cache.path('npm')}`];
  try {
    return { code: 0, output: (await promisify(execFile)(process.execPath, args, { cwd: root })).stdout };
  } catch (error) {
    const { code, stdout } = error as { readonly code: number; readonly stdout: string };
    return { code, output: stdout };
  }
}

/** Starts a package registry with these advisories; undefined refuses to tell them. */
async function startRegistry(advisories: object | undefined): Promise<RegistryServer> {
  return startRegistryServer({
    answer: (path) => {
      if (!path.endsWith('/advisories/bulk')) return { body: packument(path) };
      return advisories === undefined ? { status: 405, body: '' } : { body: advisories };
    },
  });
}

/** Returns the versions of a package, which npm asks for to compute whom an advisory concerns. */
function packument(path: string): object {
  const name = decodeURIComponent(path.slice(1));
  const versions = { '2.9.1': { name, version: '2.9.1', dist: {} } };
  return { name, versions, 'dist-tags': { latest: '2.9.1' } };
}
