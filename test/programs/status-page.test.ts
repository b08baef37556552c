import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { status, type Answer } from '../support/endpoints/answers.ts';
import {
  accessibilityProblems,
  overflowPx,
  startBrowser,
  openPage,
  type ViewOptions,
  type OpenPage,
} from '../support/pages/browser.ts';
import { eventually } from '../support/time/eventually.ts';
import { findFreePorts } from '../support/kafka/cluster/ports.ts';
import { startPlatform } from '../support/service/platform.ts';
import { needs } from '../support/programs/needs.ts';
import { ServiceProcess } from '../support/service/service-process.ts';
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

let browser: Browser;

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

const views: readonly Required<Pick<ViewOptions, 'colorScheme' | 'width'>>[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'dark', width: 360 },
];

async function openStatusPage(options: ViewOptions = {}): Promise<OpenPage> {
  return openPage(browser, `${running.service.url}/`, options);
}

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

describe('in a browser', needs('chromium'), () => {
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => browser.close());

  describe('the status page', () => {
    it.each(views)('is accessible with everything unfolded: $colorScheme, $width px wide', async (options) => {
      await using view = await openStatusPage(options);
      for (const summary of await view.page.locator('summary').all()) await summary.click();
      expect(await overflowPx(view.page)).toBeLessThanOrEqual(0);
      expect(await accessibilityProblems(view.page)).toEqual([]);
      expect(view.problems).toEqual([]);
    });

    it('shows whether the service is ready, and which subscriber fails', async () => {
      await using view = await openStatusPage();
      const { page } = view;
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Ready');
      expect(await page.getByRole('banner').innerText()).toContain(
        'Alive. 2 of 4 endpoints fail, and 1 circuit is open.',
      );
      const failing = page.getByRole('row', { name: 'failing-webhook' });
      expect(await failing.innerText()).toMatch(
        /of failing at localhost:\d+\s+open probe in \d+ min\s+failing .* failed\s+2 since [\d:]+\s+http_error 500 \d+ (?:s|min) ago/,
      );
      const slow = page.getByRole('row', { name: 'slow-webhook' });
      expect(await slow.innerText()).toMatch(
        /of slow at localhost:\d+\s+closed\s+late .* for over a second\s+0\s+none yet\s+1\s+3$/,
      );
      const tiers = await page.getByRole('table', { name: 'Deliveries that wait in' }).innerText();
      expect(tiers).toMatch(/10m\s+5\s+in \d+ min .*\n1h\s+0\s+nothing waits/);
    });

    it('works without scripts', async () => {
      await using view = await openStatusPage({ javaScriptEnabled: false });
      const settings = view.page.getByText('DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT');
      expect(await settings.isVisible()).toBe(false);
      await view.page.getByText('secrets hidden').click();
      expect(await settings.isVisible()).toBe(true);
      await view.page.getByRole('link', { name: 'Refresh every 10 s' }).click();
      await view.page.getByRole('link', { name: 'Stop refreshing' }).click();
      expect(await view.page.getByRole('link', { name: 'Refresh every 10 s' }).isVisible()).toBe(true);
    });

    it('shows foreign ids as text', async () => {
      await using view = await openStatusPage();
      expect(await view.page.getByText(hostile._id).isVisible()).toBe(true);
      expect(await view.page.getByText(hostile._ownerId, { exact: true }).isVisible()).toBe(true);
      expect(await view.page.locator('img, script, b').count()).toBe(0);
    });
  });

  describe('the status page of a service that waits for Kafka', () => {
    it('shows what is missing', async () => {
      await using platform = await startPlatform();
      const port = await findFreePorts(1);
      const environment = { ...platform.environment, KAFKA_BROKERS: '127.0.0.1:1', HTTP_PORT: String(port) };
      await using service = new ServiceProcess(environment);
      await service.logged('kafka.unreachable');
      await using view = await openPage(browser, `http://127.0.0.1:${port}/`);
      const banner = await view.page.getByRole('banner').innerText();
      expect(banner).toContain('Not ready');
      expect(banner).toContain('Alive. Missing: the topics, all webhook configurations, membership in the group');
      expect(view.problems).toEqual([]);
    });
  });
});
