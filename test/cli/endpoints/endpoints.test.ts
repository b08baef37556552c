import { lookup } from 'node:dns/promises';
import { describe, expect, it, vi } from 'vitest';
import { parseCommand, type EndpointsCommand } from '../../../src/cli/command.ts';
import { askInstances, printAnswers, type InstanceAnswer } from '../../../src/cli/endpoints.ts';
import type { EndpointStatus } from '../../../src/flow/endpoint-status.ts';
import type { AdminSources } from '../../../src/telemetry/admin/admin-answers.ts';
import { hasIpv6 } from '../../support/endpoints/ipv6-relay.ts';
import { reserveRefusingPort } from '../../support/endpoints/listeners.ts';
import { anAdminServer } from '../../telemetry/support/admin-server.ts';
import { anEndpointStatus } from '../../telemetry/support/status.ts';
import { run, runHere } from '../program.ts';
import { anInstanceEndpoint } from './instance-endpoint.ts';

const { signal } = new AbortController();
const host = '127.0.0.1';

describe('the arguments of endpoints', () => {
  it.each([
    [[], undefined, false],
    [['665f', '--json'], '665f', true],
    [['--', '--odd'], '--odd', false],
  ])('%j', (args, configurationId, json) => {
    expect(parseCommand(['endpoints', ...args])).toEqual({ kind: 'endpoints', command: { configurationId, json } });
  });

  it.each([[['a', 'b']], [['']]])('are not %j', (args) => {
    expect(parseCommand(['endpoints', ...args])).toMatchObject({ kind: 'invalid', name: 'endpoints' });
  });
});

describe('an instance', () => {
  it('is asked for the endpoints that need attention, or for that of one configuration', async () => {
    const endpoints = vi.fn<AdminSources['endpoints']>(() => [anEndpointStatus()]);
    await using server = await anAdminServer({ instance: 'worker-1', endpoints });
    const { port } = server;
    const ask = (id?: string) => askInstances({ host, port }, id, signal);
    const answers = [await ask(), await ask('a/b&owner=c')];
    const endpoint = { instance: 'worker-1', host: 'hooks.example.com', failingSince: '2026-11-21T11:58:53.000Z' };
    const answer = { kind: 'endpoints', address: `${host}:${port}`, endpoints: [expect.objectContaining(endpoint)] };
    expect(answers).toEqual([[answer], [answer]]);
    expect(endpoints.mock.calls).toEqual([[undefined], [{ by: 'configuration', id: 'a/b&owner=c' }]]);
  });

  it.skipIf(!hasIpv6)('may have an IPv6 address', async () => {
    await using server = await anAdminServer({ host: '::1' });
    const { port } = server;
    const answer = { kind: 'endpoints', address: `[::1]:${port}`, endpoints: [] };
    expect(await askInstances({ host: '::1', port }, undefined, signal)).toEqual([answer]);
  });

  it.skipIf(!hasIpv6)('is asked at each address that its name has, and counts once', async () => {
    const endpoints = (): readonly EndpointStatus[] => [anEndpointStatus({ waiting: 7 })];
    await using server = await anAdminServer({ host: '::', endpoints });
    const { port } = server;
    const answers = await askInstances({ host: 'localhost', port }, undefined, signal);
    const found = (await lookup('localhost', { all: true })).map(({ address, family }) =>
      family === 6 ? `[${address}]:${port}` : `${address}:${port}`,
    );
    expect(new Set(answers.map(({ address }) => address))).toEqual(new Set(found));
    expect(print(answers, { json: true })).toMatchObject({ code: 0, out: [expect.stringContaining('"waiting":7')] });
  });

  it('does not answer while its configurations are not read', async () => {
    await using server = await anAdminServer({ endpoints: () => undefined });
    expect(await askInstances({ host, port: server.port }, '665f', signal)).toMatchObject([
      { kind: 'failed', reason: 'HTTP 503: the webhook configurations are not read yet' },
    ]);
  });

  it('does not answer when nothing listens', async () => {
    await using refusing = await reserveRefusingPort();
    expect(await askInstances({ host, port: refusing.port }, undefined, signal)).toEqual([
      { kind: 'failed', address: `${host}:${refusing.port}`, reason: 'ECONNREFUSED' },
    ]);
  });

  it('cannot be asked when its name does not resolve', async () => {
    expect(await askInstances({ host: 'nowhere.invalid', port: 80 }, undefined, signal)).toMatchObject([
      { kind: 'failed', address: 'nowhere.invalid:80', reason: expect.stringMatching(/^E/) },
    ]);
  });
});

describe('the answers of all instances', () => {
  const works: InstanceAnswer = {
    kind: 'endpoints',
    address: '10.0.0.1:8080',
    endpoints: [
      anInstanceEndpoint({
        configurationId: '665f',
        ownerId: 'owner\nid',
        host: 'hooks.test:8443',
        circuit: 'open',
        health: 'failing',
        failures: 12,
        failingSince: '2026-11-21T12:00:00.000Z',
        waiting: 3,
        limits: { perMinute: 60 },
        lastOutcome: 'http_error',
        lastStatus: 503,
        lastMessage: 'answered 503',
        lastOutcomeAt: '2026-11-21T12:00:20.000Z',
      }),
    ],
  };
  const empty: InstanceAnswer = { kind: 'endpoints', address: '10.0.0.2:8080', endpoints: [] };
  const broken: InstanceAnswer = { kind: 'failed', address: '10.0.0.3:8080', reason: 'ECONNREFUSED' };

  it('are printed as a table, and the instance that did not answer is named', () => {
    expect(print([works, empty, broken])).toEqual({
      code: 1,
      out: [
        'CONFIGURATION  OWNER     HOST             STATE   CIRCUIT  HEALTH   FAILURES  SINCE                     WAITING  LAST',
        '665f           owner id  hooks.test:8443  active  open     failing  12        2026-11-21T12:00:00.000Z  3        2026-11-21T12:00:20.000Z http_error answered 503',
      ],
      err: ['error: 10.0.0.3:8080 does not answer: ECONNREFUSED', 'addresses: 3, answered: 2, endpoints: 1'],
    });
  });

  it('are printed as one JSON object a line', () => {
    const { code, out } = print([works, empty], { json: true });
    expect([code, out.map((line) => JSON.parse(line))]).toEqual([
      0,
      [expect.objectContaining({ configurationId: '665f', host: 'hooks.test:8443', failures: 12, waiting: 3 })],
    ]);
  });

  it('are empty when nothing needs attention', () => {
    expect(print([empty])).toEqual({ code: 0, out: [], err: ['addresses: 1, answered: 1, endpoints: 0'] });
  });

  it('say that there is no such configuration, if all of them do', () => {
    expect(print([empty], { configurationId: '666' })).toMatchObject({
      code: 2,
      err: ['addresses: 1, answered: 1, endpoints: 0', 'error: there is no configuration 666'],
    });
    expect(print([empty, broken], { configurationId: '666' })).toMatchObject({ code: 1 });
  });
});

describe('the program', () => {
  it('needs no other setting than the address of the instances', async () => {
    await using server = await anAdminServer({ endpoints: () => [anEndpointStatus()] });
    const result = await run({ ENDPOINTS_OF: `${host}:${server.port}` }, 'endpoints', '--json');
    expect(result).toMatchObject({ code: 0, err: ['addresses: 1, answered: 1, endpoints: 1'] });
    expect(result.out.map((line) => JSON.parse(line))).toMatchObject([{ failures: 3, lastMessage: 'answered 503' }]);
  });

  it('says that the address of the instances is not set', async () => {
    expect(await runHere({}, 'endpoints')).toEqual({
      code: 2,
      out: [],
      err: ['error: ENDPOINTS_OF is not set: expected host:port, where the host resolves to every instance'],
    });
  });
});

function print(answers: readonly InstanceAnswer[], command: Partial<EndpointsCommand> = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = { out: (line: string) => void out.push(line), err: (line: string) => void err.push(line) };
  const code = printAnswers(answers, { configurationId: undefined, json: false, ...command }, terminal);
  return { code, out, err };
}
