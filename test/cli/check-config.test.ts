import { describe, expect, it } from 'vitest';
import { runCheckConfig, type CheckConfigCommand, type FileProblems } from '../../src/cli/check-config.ts';
import { variableEntries } from '../../src/settings/variables.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';

const brokers = { KAFKA_BROKERS: 'localhost:9092' };

async function check(command: Partial<CheckConfigCommand>) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCheckConfig({
    environment: brokers,
    files: [],
    checkFiles: async (paths) => paths.map((path) => ({ path, problems: [] })),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    ...command,
  });
  return { code, out, err };
}

describe('check-config', () => {
  it('prints every setting with its value and origin', async () => {
    const { code, out, err } = await check({ environment: { ...brokers, LOG_LEVEL: 'debug' } });
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
    const { code, out } = await check({ environment: { ...brokers, ...login, ...secrets } });
    expect(code).toBe(0);
    expect(out).toContain(`  KAFKA_SASL_PASSWORD                  set      [secret] in ${file}`);
    expect(out).toContain('  DELIVERY_PROXY_URL                   set      [secret]');
    expect(out.join()).not.toContain('hush');
  });

  it('returns 0 with warnings only', async () => {
    const { code, err } = await check({ environment: { ...brokers, RETRY_DELAY: '1s' } });
    expect(err).toEqual(['warning: RETRY_DELAY is not a setting; did you mean RETRY_DELAYS?']);
    expect(code).toBe(0);
  });

  it('prints the problems of the settings and the files, and no settings', async () => {
    const checked: readonly FileProblems[] = [
      { path: 'good.json', problems: [] },
      { path: 'bad.yaml', problems: ['hook 1: url: must be an absolute https: URL', 'hook 2: _id: is missing'] },
    ];
    const { code, out, err } = await check({
      environment: { LOG_LEVEL: 'loud' },
      files: ['good.json', 'bad.yaml'],
      checkFiles: async () => checked,
    });
    expect(err).toEqual([
      'error: KAFKA_BROKERS is not set: expected a comma-separated list, without duplicates, each host:port, with an IPv6 address in brackets',
      'error: LOG_LEVEL is "loud": expected one of trace, debug, info, warn, error, fatal, silent',
      'error: bad.yaml: hook 1: url: must be an absolute https: URL',
      'error: bad.yaml: hook 2: _id: is missing',
    ]);
    expect(out).toEqual(['good.json: ok']);
    expect(code).toBe(2);
  });

  it('passes the settings to the check of files, or undefined if they have problems', async () => {
    const seen: unknown[] = [];
    const files = ['hooks.json'];
    const checkFiles: CheckConfigCommand['checkFiles'] = async (_paths, settings) => {
      seen.push(settings?.egress.allowedPorts);
      return [];
    };
    await check({ files, checkFiles, environment: { ...brokers, DELIVERY_ALLOWED_PORTS: '8443' } });
    await check({ files, checkFiles, environment: {} });
    expect(seen).toEqual([[{ first: 8443, last: 8443 }], undefined]);
  });

  it('checks the files that the settings name if none are named', async () => {
    const seen: (readonly string[])[] = [];
    const checkFiles: CheckConfigCommand['checkFiles'] = async (paths) => {
      seen.push(paths);
      return [];
    };
    const environment = { ...brokers, WEBHOOK_CONFIGURATIONS: 'file:hooks' };
    await check({ checkFiles, environment });
    await check({ checkFiles, environment, files: ['other.json'] });
    await check({ checkFiles });
    await check({ checkFiles, environment: { WEBHOOK_CONFIGURATIONS: 'file:hooks' } });
    expect(seen).toEqual([['hooks'], ['other.json'], [], ['hooks']]);
  });
});
