import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { headerNames } from '../../src/kafka/records/headers.ts';
import { runHere } from '../cli/program.ts';
import { aConfiguration, json } from '../support/builders.ts';
import { linesOf, readPage, readPages, scriptsBelow } from '../docs/support/page.ts';
import { root } from '../support/files/sources.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { needs } from '../support/programs/needs.ts';
import { startForTests } from '../support/service/start-once.ts';
import { startPlatform } from '../support/service/platform.ts';
import { runService } from '../support/service/service-under-test.ts';
import { ownerId, preamble, webhookId } from './support/incident.ts';
import { runScript } from './support/operations-shell.ts';

/** The commands of the service whose output the pages pass on or keep, and those whose input comes from a file. */
const lines = readPages().flatMap((page) =>
  linesOf(page)
    .filter((line) => /\bcertificate-webhooks [a-z]|node src\/main\.ts|npm start/.test(line) && /[|<>]/.test(line))
    .map((line) => [page.path, line] as const),
);

const headers: ReadonlySet<string> = new Set(Object.values(headerNames));

describe('a command whose output is kept or passed on', needs('jq'), () => {
  const running = startForTests(async (parts) => {
    const platform = parts.use(await startPlatform());
    const configuration = aConfiguration({ _id: webhookId, _ownerId: ownerId, url: platform.endpoint.url('/') });
    const files = parts.use(await writeTemporaryFiles({ 'webhook.json': json(configuration) }));
    for (const name of ['src', 'package.json', 'node_modules']) await symlink(`${root}/${name}`, files.path(name));
    await files.write('webhook.yaml', json(configuration));
    await files.write('webhooks.jsonl', `${String(json(configuration))}\n`);
    await mkdir(files.path('bin'));
    const kubectl = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift; exec "$@"\n';
    await writeFile(files.path('bin/kubectl'), kubectl, { mode: 0o755 });
    await platform.configure(configuration);
    const service = parts.use(await runService(platform.environment));
    await platform.complete(Buffer.from('no certificate'));
    await service.logged('record.rejected');
    const environment = { ...platform.environment, ENDPOINTS_OF: new URL(service.url).host };
    return { files, environment, endpoint: platform.endpoint };
  });
  // The service keeps connections, which would count as leaks of the test.
  afterEach(() => running().endpoint.closeConnections());

  it.each(lines)('in %s works as written: %s', async (_, line) => {
    const { files, environment } = running();
    const { code, stderr } = await runScript(`${preamble}\n${line}`, {
      programs: files.path('bin'),
      folder: files.root,
      environment,
    });
    // The endpoint answers 200 to what a receiver has to refuse.
    expect([code, stderr]).toEqual([line.includes('--conformance') ? 1 : 0, expect.not.stringContaining('error')]);
    const [, kept] = /> (\S+\.jsonl)/.exec(line) ?? [];
    const text = kept === undefined ? '' : await readFile(files.path(kept), 'utf8');
    expect(() =>
      text
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((one) => JSON.parse(one) as unknown),
    ).not.toThrow();
  });

  it.each([
    ['configurations list --json', ['configurationId', 'ownerId']],
    [`endpoints ${webhookId} --json`, ['configurationId', 'ownerId']],
    ['dead-letters list --json', ['dead-letter-reason']],
  ])('%s has keys in camel case, or with the names of headers', async (command, some) => {
    const { out } = await runHere(running().environment, ...command.split(' '));
    const keys = Object.keys(JSON.parse(out[0] ?? '') as object);
    expect(keys).toEqual(expect.arrayContaining([...some]));
    expect(keys.filter((key) => !headers.has(key) && !/^[a-z]+(?:[A-Z][a-z]+)*$/.test(key))).toEqual([]);
  });

  it('seals with the key that the page makes', async () => {
    const { files, environment } = running();
    const [script = ''] = scriptsBelow(readPage('docs/producers.md'), 'Sealed credentials');
    await files.write('webhooks.yaml', await readFile(files.path('webhook.json')));
    const { code, stdout } = await runScript(script, { programs: files.path('bin'), folder: files.root, environment });
    expect([code, stdout]).toEqual([0, `changed ${webhookId}\n`]);
    expect(await readFile(files.path('webhooks.yaml'), 'utf8')).toMatch(/"auth": ?ey[\w-]+\./);
  });

  it('puts nothing and says why if npm has written into the file', async () => {
    const { files, environment } = running();
    const script =
      'npm start -- configurations export > kept.jsonl\nnpx node src/main.ts configurations put kept.jsonl';
    const { code, stderr } = await runScript(script, { programs: files.path('bin'), folder: files.root, environment });
    expect([code, stderr]).toEqual([2, expect.stringContaining('kept.jsonl: begins with lines of npm: ')]);
  });
});
