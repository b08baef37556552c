import { describe, expect, it } from 'vitest';
import { startPrometheus, type Prometheus } from '../observability/support/prometheus.ts';
import { needs } from '../support/programs/needs.ts';
import { eventually } from '../support/time/eventually.ts';
import { activeAre, answers, complete, held, isActive, prints, received } from './support/entry.ts';
import { startIncident, webhookId, type Incident } from './support/incident.ts';
import { readPage } from '../docs/support/page.ts';

const entry = 'Limit a webhook';
/** The words of the status page that the entry names. */
const shownOnPage = [
  'Working, with deliveries that wait for their turn',
  'at most 4 at once, 600 a minute',
  'deliveries wait for its limit a minute, or its pace',
];

const tools = needs('java', 'maven', 'prometheus');

describe('the limits of a webhook, set and seen by their entry', { ...tools, timeout: 300_000 }, () => {
  it('hold a burst back, and then requests at once, which every place shows and no alert', async () => {
    // Requests that are out for the whole test are late, and have not failed.
    await using incident = await startAllowed({ DELIVERY_TIMEOUT: '90s', SHUTDOWN_GRACE: '100s' });
    await using prometheus = await startPrometheus(incident.urls());
    await limit(incident, '"inFlight": 4, "perMinute": 120');
    // A counter that is scraped for the first time after its last increase has a rate of 0.
    await eventually('all pods are scraped', () => activeAre(prometheus, 1));
    // Ten minutes of it, which the commands below do not take on a busy machine either.
    await complete(incident, ...ids('burst', 1200));
    await prints(
      () => incident.play(entry, [2]),
      (text) =>
        new RegExp(`\n${webhookId} .* closed +paced `).test(text) &&
        /^\{"health":"paced","circuit":"closed","limits":\{"inFlight":4,"perMinute":120\},"waiting":\d+\}$/m.test(text),
    );
    await prints(
      () => incident.run('ask /'),
      (text) => shownOnPage.every((words) => text.includes(words.replace('600', '120'))),
    );
    const { text: entries } = readPage('docs/operations.md');
    expect(shownOnPage.filter((words) => !entries.includes(words))).toEqual([]);
    const moved = await incident.play(entry, [3]);
    expect(moved.stdout).toMatch(new RegExp(`^[1-9]\\d* ${webhookId} until \\d{4}-\\S+Z\n$`));
    await eventually('the metrics show it', async () => {
      const [deferred = [], waiting = []] = await answers(prometheus, entry);
      return [deferred, waiting].every((samples) => samples.some(({ value: [, count] }) => Number(count) > 0));
    });
    const minutes = await incident.play(entry, [0]);
    expect(minutes.stdout).toMatch(/^ +\d+ \d{4}-\d\d-\d\dT\d\d:\d\d$/m);
    // The burst itself may look like an alert's cause for some scrapes.
    await eventually('no alert is pending', async () => (await active(prometheus)).length === 0);

    const { slowly, release } = held();
    incident.endpoint.script('/certificates', slowly);
    await limit(incident, '"inFlight": 1');
    await prints(
      () => incident.play(entry, [2]),
      (text) =>
        new RegExp(`\n${webhookId} .* closed +late `).test(text) &&
        /"health":"late","circuit":"closed","limits":\{"inFlight":1\},"waiting":[1-9]\d*\}/.test(text),
    );
    release();
    incident.endpoint.script('/certificates', 200);
    await limit(incident, '"inFlight": 16');
    await prints(
      () => incident.play(entry, [2]),
      (text) => new RegExp(`\n${webhookId} .* closed +healthy +0 +- +0 `).test(text),
    );
  });

  it('are too low: deliveries expire, the alert says it, and a replay delivers them under higher limits', async () => {
    await using incident = await startAllowed({ DELIVERY_MAX_AGE: '12s' });
    await using prometheus = await startPrometheus(incident.urls());
    await eventually('all pods are scraped', () => activeAre(prometheus, 1));
    await limit(incident, '"perMinute": 60');
    await complete(incident, ...ids('many', 30));
    await prints(
      () => incident.play(entry, [4]),
      (text) => new RegExp(`^ +[1-9]\\d* ${webhookId} overloaded\n$`).test(text),
    );
    await eventually('the alert is pending', () => isActive(prometheus, 'CertificateWebhooksDeadLetters'));
    await limit(incident, '"perMinute": 6000');
    const replayed = await incident.play('Dead letters', [0]);
    expect(replayed).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nreplayed: [1-9]/) as string });
    await received(incident, 'many-29');
  });
});

/** Starts the service with these settings, and gives its user the right to write configurations. */
async function startAllowed(settings: Readonly<Record<string, string>>): Promise<Incident> {
  await using stack = new AsyncDisposableStack();
  const incident = stack.use(await startIncident());
  expect(await incident.play('One subscriber', [0])).toMatchObject({ code: 0 });
  await incident.values(settings);
  expect(await incident.play('Upgrade and roll back', [0])).toMatchObject({ code: 0 });
  stack.move();
  return incident;
}

/** Sets limits by the page. */
async function limit(incident: Incident, limits: string): Promise<void> {
  const played = await incident.play(entry, [1], { '"inFlight": 4, "perMinute": 600': limits });
  expect(played).toMatchObject({ code: 0, stdout: `changed ${webhookId}\n` });
}

function ids(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`);
}

/** Resolves to the alerts that are pending or fire. */
async function active(prometheus: Prometheus): Promise<readonly string[]> {
  const rules = await prometheus.rules();
  return rules.filter(({ state }) => state === 'pending' || state === 'firing').map(({ name }) => name);
}
