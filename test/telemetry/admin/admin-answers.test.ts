import { describe, expect, it, vi } from 'vitest';
import { answerAdmin, type AdminSources } from '../../../src/telemetry/admin/admin-answers.ts';
import { aStatus, anEndpointStatus } from '../support/status.ts';

function sources(overrides: Partial<AdminSources> = {}): AdminSources {
  return {
    instance: 'worker-1-5f2c',
    metrics: { render: async (format) => `${format}\n` },
    liveness: () => [],
    readiness: () => [],
    endpoints: () => [],
    status: () => aStatus(),
    ...overrides,
  };
}

describe('a probe', () => {
  it('of readiness is 503 with what is missing', async () => {
    const missing = ['the webhook configurations are incomplete', 'the group is not joined'];
    const answer = await answerAdmin({ method: 'GET', target: '/readyz' }, sources({ readiness: () => missing }));
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.body)).toEqual(missing);
    expect(answer.headers['Content-Type']).toBe('application/json');
  });

  it('of liveness is 503 with the stalled components, without unmet conditions', async () => {
    const stalled = sources({ liveness: () => ['the consumer is stalled'], readiness: () => ['all'] });
    expect(await answerAdmin({ method: 'GET', target: '/livez' }, stalled)).toMatchObject({
      status: 503,
      body: '["the consumer is stalled"]\n',
    });
  });
});

describe('a request', () => {
  it('for /endpoints is answered with the list as JSON, without unknown values', async () => {
    const times = { openUntil: Date.UTC(2026, 10, 21, 12), lastOutcomeAt: Date.UTC(2026, 10, 21) };
    const unknown = { failingSince: undefined, ownerId: undefined, host: undefined, lastStatus: undefined };
    const late = { ...unknown, lastMessage: undefined, health: 'late', failures: 0, state: 'invalid' } as const;
    const endpoints = [anEndpointStatus({ circuit: 'open', ...times }), anEndpointStatus(late)];
    const listed = sources({ endpoints: () => endpoints });
    const answer = await answerAdmin({ method: 'GET', target: '/endpoints' }, listed);
    const ids = { instance: 'worker-1-5f2c', configurationId: '665f1f77bcf86cd799439011' };
    const common = { ...ids, inFlight: 1, waiting: 0, lastOutcome: 'http_error' };
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      200,
      [
        {
          ...common,
          ownerId: '665f1f77bcf86cd799439000',
          state: 'active',
          host: 'hooks.example.com',
          circuit: 'open',
          openUntil: '2026-11-21T12:00:00.000Z',
          health: 'failing',
          failures: 3,
          failingSince: '2026-11-21T11:58:53.000Z',
          lastStatus: 503,
          lastMessage: 'answered 503',
          lastOutcomeAt: '2026-11-21T00:00:00.000Z',
        },
        {
          ...common,
          state: 'invalid',
          circuit: 'closed',
          health: 'late',
          failures: 0,
          lastOutcomeAt: '2026-11-21T11:59:53.000Z',
        },
      ],
    ]);
  });

  it.each([
    ['/endpoints', undefined],
    ['/endpoints?', undefined],
    ['/endpoints?configuration=a%2Fb%3F', { by: 'configuration', id: 'a/b?' }],
    ['/endpoints?owner=o+1', { by: 'owner', id: 'o 1' }],
  ])('for %s selects %j', async (target, selection) => {
    const endpoints = vi.fn<AdminSources['endpoints']>(() => []);
    expect(await answerAdmin({ method: 'GET', target }, sources({ endpoints }))).toMatchObject({ status: 200 });
    expect(endpoints).toHaveBeenCalledExactlyOnceWith(selection);
  });

  it.each([
    '/endpoints?id=1',
    '/endpoints?configuration',
    '/endpoints?owner=',
    '/endpoints?configuration=1&configuration=2',
    '/endpoints?configuration=1&owner=2',
  ])('for %s is a 400 that says what is expected', async (target) => {
    expect(await answerAdmin({ method: 'GET', target }, sources())).toMatchObject({
      status: 400,
      body: 'expected one parameter at most: configuration=ID or owner=ID\n',
    });
  });

  it('for selected endpoints is a 503 while the configurations are not read', async () => {
    const starting = sources({ endpoints: (selection) => (selection === undefined ? [] : undefined) });
    const targets = ['/endpoints', '/endpoints?owner=1'];
    const answers = await Promise.all(targets.map(async (target) => answerAdmin({ method: 'GET', target }, starting)));
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, '[]\n'],
      [503, 'the webhook configurations are not read yet\n'],
    ]);
  });

  it('for / is answered with a page that is never cached, sends no referrer, and loads nothing else', async () => {
    const { status, headers, body } = await answerAdmin({ method: 'GET', target: '/' }, sources());
    expect(status).toBe(200);
    expect(body).toMatch(/^<!doctype html>/);
    expect(headers).toEqual({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Content-Security-Policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
    });
  });

  it.each([
    [undefined, 'text/plain; version=0.0.4; charset=utf-8', 'text\n'],
    [
      'application/openmetrics-text;version=1.0.0,text/plain;q=0.5',
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
      'openMetrics\n',
    ],
  ])('for /metrics that accepts %s is answered with %s', async (accept, contentType, body) => {
    const answer = await answerAdmin({ method: 'GET', target: '/metrics', accept }, sources());
    expect([answer.headers['Content-Type'], answer.body]).toEqual([contentType, body]);
  });

  it.each(['', '*', '/index.html', '/metrics/', '//livez', '/READYZ', '/metrics%00', 'http://other/livez'])(
    'for %j is a 404 that lists the paths',
    async (target) => {
      expect(await answerAdmin({ method: 'GET', target }, sources())).toMatchObject({
        status: 404,
        body: '/\n/metrics\n/livez\n/readyz\n/endpoints\n',
      });
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('with %s is a 405 that lists the allowed methods', async (method) => {
    const answer = await answerAdmin({ method, target: '/readyz' }, sources());
    expect(answer).toMatchObject({ status: 405, headers: { Allow: 'GET, HEAD' } });
  });
});
