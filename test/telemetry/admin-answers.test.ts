import { describe, expect, it } from 'vitest';
import { answerAdmin, type AdminSources } from '../../src/telemetry/admin-answers.ts';

function sources(overrides: Partial<AdminSources> = {}): AdminSources {
  return {
    metrics: { contentType: 'text/plain; version=0.0.4', render: async () => 'up 1\n' },
    liveness: () => [],
    readiness: () => [],
    endpoints: () => [],
    ...overrides,
  };
}

describe('a probe', () => {
  it.each(['/livez', '/readyz'])('of %s is 200 with an empty list while nothing is wrong', async (target) => {
    expect(await answerAdmin({ method: 'GET', target }, sources())).toMatchObject({ status: 200, body: '[]\n' });
  });

  it('of readiness is 503 with what is missing', async () => {
    const missing = ['the webhook configurations are incomplete', 'the group is not joined'];
    const answer = await answerAdmin({ method: 'GET', target: '/readyz' }, sources({ readiness: () => missing }));
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.body)).toEqual(missing);
    expect(answer.headers['Content-Type']).toBe('application/json');
  });

  it('of liveness is 503 with what stands still, whatever is missing', async () => {
    const standing = sources({ liveness: () => ['the consumer stands still'], readiness: () => ['all'] });
    expect(await answerAdmin({ method: 'GET', target: '/livez' }, standing)).toMatchObject({
      status: 503,
      body: '["the consumer stands still"]\n',
    });
  });
});

describe('a request', () => {
  it('for /endpoints is answered with the list as JSON', async () => {
    const listed = sources({ endpoints: () => [{ configurationId: 'w', circuit: 'open' }] });
    expect(await answerAdmin({ method: 'GET', target: '/endpoints' }, listed)).toMatchObject({
      status: 200,
      body: '[{"configurationId":"w","circuit":"open"}]\n',
    });
  });

  it('may carry a query', async () => {
    expect(await answerAdmin({ method: 'GET', target: '/livez?verbose' }, sources())).toMatchObject({ status: 200 });
  });

  it.each(['/', '', '*', '/metrics/', '//livez', '/READYZ', '/metrics%00', 'http://other/livez'])(
    'for %j is a 404 that lists what there is',
    async (target) => {
      expect(await answerAdmin({ method: 'GET', target }, sources())).toMatchObject({
        status: 404,
        body: '/metrics\n/livez\n/readyz\n/endpoints\n',
      });
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('by %s is a 405 that says what is allowed', async (method) => {
    const answer = await answerAdmin({ method, target: '/readyz' }, sources());
    expect(answer).toMatchObject({ status: 405, headers: { Allow: 'GET, HEAD' } });
  });
});
