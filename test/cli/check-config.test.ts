import { describe, expect, it } from 'vitest';
import { checkEnvironment } from '../../src/cli/check-config.ts';
import type { Environment } from '../../src/settings.ts';
import { variableEntries } from '../../src/settings/variables.ts';
import { aConfiguration } from '../support/builders.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';

const { signal } = new AbortController();
const brokers = { KAFKA_BROKERS: 'localhost:9092' };

async function check(environment: Environment, ...files: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = { out: (line: string) => out.push(line), err: (line: string) => err.push(line), signal };
  return { code: await checkEnvironment(files, terminal, environment), out, err };
}

/** The text of a configuration file with a webhook at that port. */
function webhookAt(port: number): string {
  return JSON.stringify(aConfiguration({ _id: 'hook', url: `https://hooks.example:${port}/` }));
}

describe('check-config', () => {
  it('prints every setting with its value and origin', async () => {
    const { code, out, err } = await check({ ...brokers, LOG_LEVEL: 'debug' });
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(out).toContain('Kafka');
    expect(out).toContain('  KAFKA_BROKERS                        set      localhost:9092');
    expect(out).toContain('  DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT  default  16');
    expect(out).toContain('  DELIVERY_USER_AGENT                  default  certificate-webhooks');
    expect(out).toContain('  LOG_LEVEL                            set      debug');
    expect(out.filter((line) => line.startsWith('  '))).toHaveLength(variableEntries.length);
  });

  it('hides secrets from variables and from files', async () => {
    await using files = await writeTemporaryFiles({ password: 'hush' });
    const login = { KAFKA_SASL_MECHANISM: 'scram-sha-256', KAFKA_SASL_USERNAME: 'service' };
    const file = files.path('password');
    const secrets = { KAFKA_SASL_PASSWORD_FILE: file, DELIVERY_PROXY_URL: 'http://user:hush@proxy' };
    const { code, out } = await check({ ...brokers, ...login, ...secrets });
    expect(code).toBe(0);
    expect(out).toContain(`  KAFKA_SASL_PASSWORD                  set      [secret] in ${file}`);
    expect(out).toContain('  DELIVERY_PROXY_URL                   set      [secret]');
    expect(out.join()).not.toContain('hush');
  });

  it('returns 0 with warnings only', async () => {
    const { code, err } = await check({ ...brokers, RETRY_DELAY: '1s' });
    expect(err).toEqual(['warning: RETRY_DELAY is not a setting; did you mean RETRY_DELAYS?']);
    expect(code).toBe(0);
  });

  it('prints the problems of the settings and the files, and no settings', async () => {
    await using files = await writeTemporaryFiles({ 'good.json': webhookAt(443), 'bad.json': '{', 'bad.yaml': '- 1' });
    const paths = ['good.json', 'bad.json', 'bad.yaml'].map((name) => files.path(name));
    const { code, out, err } = await check({ LOG_LEVEL: 'loud' }, ...paths);
    expect(err).toEqual([
      'error: KAFKA_BROKERS is not set: expected a comma-separated list, without duplicates, each host:port, with an IPv6 address in brackets',
      'error: LOG_LEVEL is "loud": expected one of trace, debug, info, warn, error, fatal, silent',
      `error: ${files.path('bad.json')}: is not JSON: line 1`,
      `error: ${files.path('bad.yaml')}: entry 1 (bad.yaml#1): must be an object`,
    ]);
    expect(out).toEqual([`${files.path('good.json')}: ok`]);
    expect(code).toBe(2);
  });

  it('checks files by the settings, and without their rules if the settings have problems', async () => {
    await using files = await writeTemporaryFiles({ 'hooks.json': webhookAt(8443) });
    const path = files.path('hooks.json');
    const refused = `error: ${path}: entry 1 (hook): url: must point at an allowed port`;
    expect((await check({ ...brokers, DELIVERY_ALLOWED_PORTS: '8443' }, path)).out).toContain(`${path}: ok`);
    expect((await check(brokers, path)).err).toEqual([refused]);
    expect((await check({}, path)).out).toEqual([`${path}: ok`]);
  });

  it('checks the files that the settings name if none are named', async () => {
    await using files = await writeTemporaryFiles({ 'hooks.json': webhookAt(443), 'other.json': webhookAt(443) });
    const [hooks, other] = ['hooks.json', 'other.json'].map((name) => files.path(name));
    const source = { WEBHOOK_CONFIGURATIONS: `file:${hooks}` };
    const checked = async (...parameters: Parameters<typeof check>) =>
      (await check(...parameters)).out.filter((line) => line.endsWith(': ok'));
    expect(await checked({ ...brokers, ...source })).toEqual([`${hooks}: ok`]);
    expect(await checked({ ...brokers, ...source }, String(other))).toEqual([`${other}: ok`]);
    expect(await checked(brokers)).toEqual([]);
    expect(await checked(source)).toEqual([`${hooks}: ok`]);
  });
});
