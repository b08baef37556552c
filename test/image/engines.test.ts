import { expect, it } from 'vitest';
import { findEngine, problemAnswering } from './engines.ts';

const problems: Readonly<Record<string, string>> = { docker: 'Is the docker daemon running?', podman: 'not installed' };
const ask = (engine: string): Promise<string | undefined> => Promise.resolve(problems[engine]);

it('skips an engine that is installed but does not work', async () => {
  expect(await findEngine(['docker', 'podman', 'buildah'], ask)).toEqual({ kind: 'found', engine: 'buildah' });
});

it('says why each engine is not used, and what to install', async () => {
  const search = await findEngine(['docker', 'podman'], ask);
  expect(search.kind === 'none' ? search.reason.split('\n') : []).toEqual([
    'no container engine works here.',
    '  docker: Is the docker daemon running?',
    '  podman: not installed',
    expect.stringContaining('apt-get install podman'),
  ]);
});

it('distinguishes a missing command from one that fails', async () => {
  expect(await problemAnswering('no-such-engine')).toBe('not installed');
  expect(await problemAnswering('false')).toContain('Command failed');
});
