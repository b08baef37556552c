import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Environment } from '../../../src/settings.ts';
import { aConfiguration, json } from '../../support/builders.ts';
import { hang } from '../../support/endpoints/answers.ts';
import { startEndpoint, type Endpoint } from '../../support/endpoints/endpoint.ts';
import { keySetText, publicHalf, rsaJwk } from '../../support/keys.ts';
import { writeTemporaryFiles, type TemporaryFiles } from '../../support/files/temporary-files.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { createAuthority } from '../../support/tls/authority.ts';
import { runHere } from '../program.ts';

const authority = createAuthority();
const key = rsaJwk('key');

describe('the command try without Kafka', () => {
  let endpoint: Endpoint;
  let files: TemporaryFiles;
  beforeAll(async () => {
    endpoint = await startEndpoint({ identity: authority.issue() });
    const a = aConfiguration({ _id: 'a', url: endpoint.url('/a') });
    const b = aConfiguration({ _id: 'b', url: endpoint.url('/b'), events: ['certificate_expired'], paused: true });
    files = await writeTemporaryFiles({
      'authority.pem': authority.certificate,
      'a.json': json(a),
      'a.yaml': stringify(a),
      'both.json': json([a, b]),
      'off.json': json({ ...a, enabled: false }),
      'refused.json': json({ ...a, url: 'http://not.tls', auth: { authType: 'api_key', token: '' } }),
      'sealed.json': json(a),
      'keys.json': keySetText(key),
      'public.json': keySetText(publicHalf(key)),
    });
    return async () => {
      await endpoint[Symbol.asyncDispose]();
      await files[Symbol.asyncDispose]();
    };
  });

  const environment = (more: Environment = {}): Environment => ({
    DELIVERY_CA_FILE: files.path('authority.pem'),
    DELIVERY_ALLOWED_NETWORKS: '127.0.0.0/8',
    DELIVERY_ALLOWED_PORTS: '1-65535',
    ...more,
  });
  const tryFile = (name: string, more: Environment = {}, ...args: readonly string[]) =>
    runHere(environment(more), 'try', files.path(name), ...args);
  const tryId = (id: string, ...args: readonly string[]) =>
    runHere(environment({ WEBHOOK_CONFIGURATIONS: `file:${files.path('both.json')}` }), 'try', id, ...args);

  it.each(['a.json', 'a.yaml'])('sends to the webhook of %s', async (name) => {
    endpoint.script('/a', 200);
    const before = endpoint.requests.length;
    const { code, out, err } = await tryFile(name);
    const verdict = 'The service would count this as delivered, and not send it again.';
    expect([code, out.at(-1), err]).toEqual([0, verdict, []]);
    expect(endpoint.requests.slice(before).map(({ path }) => path)).toEqual(['/a']);
  });

  it('ends with 1 if the endpoint does not accept', async () => {
    endpoint.script('/a', 500);
    expect(await tryFile('a.json')).toMatchObject({ code: 1, err: [] });
  });

  it.each([[], ['--conformance']])('ends with 1 on a signal: %j', async (...args) => {
    endpoint.script('/a', hang());
    await using program = new ServiceProcess(environment(), ['try', files.path('a.json'), ...args]);
    await endpoint.received(endpoint.requests.length + 1);
    program.signal('SIGINT');
    expect(await program.exited()).toMatchObject({ code: 1 });
    expect(program.errors).toEqual(['stopped before the end']);
  });

  it('reads standard input for -', async () => {
    endpoint.script('/a', 200);
    const program = spawn(process.execPath, ['src/main.ts', 'try', '-'], {
      env: { PATH: process.env['PATH'], ...environment() },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    program.stdin.end(json(aConfiguration({ _id: 'a', url: endpoint.url('/a') })));
    const [out, [code]] = await Promise.all([text(program.stdout), once(program, 'close')]);
    expect([code, out]).toEqual([0, expect.stringContaining('answer: status 200')]);
  });

  it('finds an id in the files of WEBHOOK_CONFIGURATIONS, and sends the event that it wants', async () => {
    endpoint.script('/b', 200);
    const before = endpoint.requests.length;
    const { code, out } = await tryId('b');
    expect([code, out.slice(1, 3)]).toEqual([
      0,
      [
        'note: the configuration is paused: the service sends nothing to it',
        expect.stringMatching(/^sending: certificate_expired, /),
      ],
    ]);
    const [request] = endpoint.requests.slice(before);
    const { expires } = JSON.parse(String(request?.body)) as { readonly expires: string };
    expect(Date.parse(expires)).toBeLessThan(Date.now());
  });

  it('says what the service would not send', async () => {
    endpoint.script('/a', 200);
    const disabled = 'note: the configuration is not enabled: the service plans nothing for it';
    expect((await tryFile('off.json')).out).toContain(disabled);
    const { out } = await tryId('b', '--event', 'certificate_completed');
    expect(out).toContain('note: the configuration does not want certificate_completed');
  });

  it.each([
    ['refused.json', [/configuration a is refused: url: must be an absolute https: URL/, /is refused: auth/]],
    ['both.json', [/both\.json holds 2 configurations: expected one/]],
    ['none.json', [/none\.json: can't be read \(ENOENT\)/]],
  ])('ends with 2 for %s, and sends nothing', async (name, problems) => {
    const before = endpoint.requests.length;
    const { code, out, err } = await tryFile(name);
    expect([code, out]).toEqual([2, []]);
    expect(err).toEqual(problems.map((problem) => expect.stringMatching(problem)));
    expect(endpoint.requests).toHaveLength(before);
  });

  it('ends with 2 for an id that no file has', async () => {
    const { code, err } = await tryId('c');
    expect([code, err]).toEqual([2, [expect.stringContaining('there is no configuration c in ')]]);
  });

  it('opens sealed parts, and ends with 2 if it has no key for them', async () => {
    endpoint.script('/a', 200);
    const withKeys = { WEBHOOK_KEYS_FILE: files.path('keys.json'), KAFKA_BROKERS: 'none:1' };
    const sealed = files.path('sealed.json');
    expect(await runHere(environment(withKeys), 'configurations', 'seal', '--write', sealed)).toMatchObject({
      code: 0,
    });
    const before = endpoint.requests.length;
    expect(await tryFile('sealed.json', withKeys)).toMatchObject({ code: 0 });
    const [request] = endpoint.requests.slice(before);
    expect(request?.header('authorization')).toBe('Bearer Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA');
    for (const more of [{}, { WEBHOOK_KEYS_FILE: files.path('public.json') }]) {
      const { code, err } = await tryFile('sealed.json', more);
      expect([code, err.length > 0]).toEqual([2, true]);
      expect(err.filter((line) => !/the configuration a is refused: (?:auth|customHeaders)/.test(line))).toEqual([]);
    }
    expect(endpoint.requests).toHaveLength(before + 1);
  });
});
