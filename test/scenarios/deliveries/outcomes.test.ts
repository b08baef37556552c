import { describe, expect, it } from 'vitest';
import { afterInterim, redirect, status, type Answer } from '../../support/endpoints/answers.ts';
import { startFailingEndpoints } from '../../support/endpoints/failing-endpoints.ts';
import { uniqueName } from '../../support/kafka/topics.ts';
import type { LogLine } from '../../support/service/service-under-test.ts';
import { attemptsByOutcome } from '../../support/service/attempts-by-outcome.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { startOnce, type Running } from '../../support/service/start-once.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';

const delays = ['10m', '1h'];
const running = startOnce({ delays });
/** For endpoints that never answer. No answer has to come within its timeouts. */
const impatient = startOnce({ delays, environment: { DELIVERY_TIMEOUT: '6s', DELIVERY_CONNECT_TIMEOUT: '5s' } });

describe('an answer', { tags: ['I2'] }, () => {
  it('settles a delivery if it is a 2xx, and moves it to the first tier otherwise', async () => {
    const received = [200, 201, 202, 204, 226, 299];
    const refused = [300, 304, 400, 401, 403, 404, 410, 418, 429, 500, 502, 503, 599];
    const lines = await attemptAll(running, subscribersFor(running, [...received, ...refused]));
    expect(lines.map(inWords)).toEqual([
      ...received.map((code) => `delivered ${code}: done`),
      ...refused.map((code) => `http_error ${code}: retry 10m`),
    ]);
  });

  it('is not final if it is an interim response', async () => {
    const answers = [afterInterim([102, 103], status(200)), afterInterim([103], status(500))];
    const lines = await attemptAll(running, subscribersFor(running, answers));
    expect(lines.map(inWords)).toEqual(['delivered 200: done', 'http_error 500: retry 10m']);
  });

  it('is not followed if it is a redirect', async () => {
    const { endpoint } = running.platform;
    const codes = [301, 302, 303, 307, 308];
    const answers = codes.map((code) => redirect(endpoint.url('/elsewhere'), code));
    const lines = await attemptAll(running, subscribersFor(running, answers));
    expect(lines.map(inWords)).toEqual(codes.map((code) => `http_error ${code}: retry 10m`));
    expect(endpoint.requests.filter(({ path }) => path === '/elsewhere')).toEqual([]);
  });

  it('is logged in one line with exactly the documented fields', async () => {
    const [delivered, failed] = await attemptAll(running, subscribersFor(running, [200, 500]));
    const ids = ['configurationId', 'ownerId', 'certificateId', 'deliveryId'];
    const names = ['level', 'time', 'service', 'version', 'event', ...ids];
    const facts = ['attempt', 'outcome', 'status', 'durationMs', 'settlement'];
    expect(Object.keys(delivered ?? {})).toEqual([...names, ...facts]);
    expect(Object.keys(failed ?? {})).toEqual([...names, ...facts, 'tier', 'dueAt']);
    expect(failed).toMatchObject({
      level: 'info',
      attempt: 1,
      status: 500,
      durationMs: expect.any(Number),
      tier: '10m',
    });
    expect(failed?.['dueAt']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});

describe('an endpoint without an answer', () => {
  it.each([
    ['at once', (outcome: string) => outcome !== 'timeout', () => running],
    ['after its timeout', (outcome: string) => outcome === 'timeout', () => impatient],
  ])('that fails %s has its reason in the log and in the tier', async (_when, isWanted, runningOf) => {
    const { platform, service } = runningOf();
    await using failing = await startFailingEndpoints(platform, { ownerId: uniqueName('owner'), timeoutMs: 6000 });
    const wanted = failing.list.filter(({ outcome }) => isWanted(outcome));
    const lines = await attemptAll(
      { platform, service },
      wanted.map(({ subscriber }) => subscriber),
    );
    expect(lines.map((line) => `${inWords(line)} (${String(line['failure'])})`)).toEqual(
      wanted.map(({ outcome, failure }) => `${outcome}: retry 10m (${failure})`),
    );

    const inTier = new Map(
      (await platform.tier('10m')).map(({ headers }) => [headers['webhook-configuration-id'] ?? '', headers]),
    );
    const reasons = wanted.map(({ subscriber }) => {
      const headers = inTier.get(subscriber.webhookId);
      return [headers?.['failure-reason'], headers?.['failure-status'], headers?.['failure-message']];
    });
    expect(reasons).toEqual(wanted.map(({ outcome, failure }) => [outcome, undefined, failure]));
  });
});

describe('the log', { tags: ['I3', 'I6'] }, () => {
  it('contains nothing confidential', () => {
    expect(attempts(running).length).toBeGreaterThan(40);
    expect(confidentialLines(running.service.log, 'elsewhere')).toEqual([]);
  });

  it('has the same number of each outcome as the metrics', async () => {
    const { body } = await running.service.get('/metrics');
    const logged: Record<string, number> = {};
    for (const { outcome } of attempts(running)) logged[String(outcome)] = (logged[String(outcome)] ?? 0) + 1;
    expect(Object.fromEntries(attemptsByOutcome(body))).toEqual(logged);
    expect(await running.service.unaccounted()).toBe(0);
  });
});

function subscribersFor({ platform }: Running, answers: readonly (number | Answer)[]): readonly Subscriber[] {
  const ownerId = uniqueName('owner');
  return answers.map((answer) => aSubscriber(platform, { ownerId, answers: [answer] }));
}

/** Sends one certificate to webhooks of one owner. Resolves to their log lines, in the same order. */
async function attemptAll(
  { platform, service }: Running,
  subscribers: readonly Subscriber[],
): Promise<readonly LogLine[]> {
  await platform.configure(...subscribers.map((subscriber) => subscriber.configuration()));
  const places = await platform.complete(...subscribers.slice(0, 1).map((subscriber) => subscriber.certificate()));
  await service.settled(platform.topics.completed, places);
  const byWebhook = new Map(attempts({ service }).map((line) => [line['configurationId'], line]));
  return subscribers.map(({ webhookId }) => byWebhook.get(webhookId) ?? {});
}

function attempts({ service }: Pick<Running, 'service'>): readonly LogLine[] {
  return service.log.filter(({ event }) => event === 'delivery.attempted');
}

/** Formats a log line as `http_error 500: retry 10m`. */
function inWords({ outcome, status: code = '', settlement, tier = '' }: LogLine): string {
  return `${String(outcome)} ${String(code)}: ${String(settlement)} ${String(tier)}`.replaceAll(/ (?=:|$)/g, '');
}
