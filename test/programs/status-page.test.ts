import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { status, type Answer } from '../support/endpoints/answers.ts';
import { eventually } from '../support/time/eventually.ts';
import { confidentialLines } from '../support/service/confidential-lines.ts';
import type { LogLine } from '../support/service/service-under-test.ts';
import { startOnce } from '../support/service/start-once.ts';
import { run } from '../cli/program.ts';
import { aSubscriber } from '../support/service/subscriber.ts';

const registryPassword = 'secret-registry-password';

const running = startOnce({
  delays: ['10m', '1h'],
  environment: {
    // The slow endpoint answers only after all tests.
    DELIVERY_TIMEOUT: '300s',
    SHUTDOWN_GRACE: '305s',
    CIRCUIT_FAILURES: '2',
    CIRCUIT_COOLDOWN: '10m',
    DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '1',
    SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1',
    SCHEMA_REGISTRY_USERNAME: 'registry-user',
    SCHEMA_REGISTRY_PASSWORD: registryPassword,
  },
});

/** Ids that would run as scripts if the page did not escape them. */
const hostile = { _id: '"><img src=x onerror=alert(1)><script>alert(2)</script>', _ownerId: '<b>owner</b>' };

const { promise: released, resolve: answer } = Promise.withResolvers<undefined>();
const answerWhenReleased: Answer = (exchange) => void released.then(() => status(200)(exchange));

/** Starts one subscriber of each state: open circuit, hostile id, slow, refused and working. */
beforeAll(async () => {
  const { platform, service } = running;
  const failing = aSubscriber(platform, { ownerId: 'failing', answers: [500] });
  const unusual = aSubscriber(platform, { ownerId: hostile._ownerId, answers: [503] });
  const slow = aSubscriber(platform, { ownerId: 'slow', answers: [answerWhenReleased] });
  const refused = aSubscriber(platform, { ownerId: 'refused' });
  const works = aSubscriber(platform, { ownerId: 'works' });
  await platform.configure(
    failing.configuration({ _id: 'failing-webhook' }),
    unusual.configuration(hostile),
    slow.configuration({ _id: 'slow-webhook' }),
    refused.configuration({ url: 'http://localhost/private/' }),
    works.configuration(),
  );
  const others = [unusual, refused, works].map((subscriber) => subscriber.certificate());
  await platform.complete(...failing.certificates(3), ...slow.certificates(4), ...others);
  await eventually('all deliveries have reached their states', async () => {
    const waiting = await service.metric('waiting_deliveries{attempt="first"}');
    const unsettled = await service.metric('unsettled_records');
    const lag = await service.metric(`consumer_lag_records{topic="${platform.topics.tierPrefix}.10m",partition="0"}`);
    const isLate = (await service.get('/')).body.includes('>late</span>');
    return waiting === 3 && unsettled === 4 + 5 && lag === 5 && isLate;
  });
});

afterAll(async () => {
  answer(undefined);
});

describe('the status page', () => {
  it('shows no credential, path or body, just like the JSON list of endpoints', async () => {
    const { service } = running;
    const bodies = await Promise.all(['/', '/?refresh', '/endpoints'].map(async (path) => service.get(path)));
    expect(bodies.map(({ status: code }) => code)).toEqual([200, 200, 200]);
    expect(confidentialLines(bodies, registryPassword)).toEqual([]);
    expect(bodies[0]?.body).toContain('[secret]');
    expect(JSON.parse(bodies[2]?.body ?? '')).toMatchObject([
      {
        configurationId: 'failing-webhook',
        ownerId: 'failing',
        state: 'active',
        host: `localhost:${running.platform.endpoint.port}`,
        health: 'failing',
        circuit: 'open',
        failures: 2,
        failingSince: expect.any(String),
        lastStatus: 500,
        lastMessage: 'answered 500',
      },
      { configurationId: hostile._id, ownerId: hostile._ownerId, circuit: 'closed', failures: 1, lastStatus: 503 },
      { configurationId: 'slow-webhook', ownerId: 'slow', health: 'late', circuit: 'closed', waiting: 3 },
    ]);
  });
});

describe('the JSON list of endpoints', () => {
  it.each([
    ['configuration=failing-webhook', [{ state: 'active', circuit: 'open', failures: 2 }]],
    ['owner=works', [{ state: 'active', circuit: 'closed', failures: 0, waiting: 0 }]],
    ['owner=refused', [{ state: 'invalid', circuit: 'closed', failures: 0, waiting: 0 }]],
    ['configuration=nobody', []],
  ])('of %s shows what this instance knows of it', async (query, expected) => {
    const { status: code, body } = await running.service.get(`/endpoints?${query}`);
    expect([code, JSON.parse(body)]).toEqual([200, expected.map((fields) => expect.objectContaining(fields))]);
  });
});

describe('the command endpoints', () => {
  it('prints what this instance knows of a configuration, and nothing confidential', async () => {
    const ENDPOINTS_OF = new URL(running.service.url).host;
    const { code, out, err } = await run({ ENDPOINTS_OF }, 'endpoints', 'failing-webhook', '--json');
    expect([code, err]).toEqual([0, ['addresses: 1, answered: 1, endpoints: 1']]);
    const lines = out.map((line) => JSON.parse(line) as LogLine);
    expect(lines).toMatchObject([
      { configurationId: 'failing-webhook', circuit: 'open', failures: 2, lastStatus: 500 },
    ]);
    expect(confidentialLines(lines, registryPassword)).toEqual([]);
  });
});
