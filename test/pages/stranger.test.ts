import { appendFile, cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../support/files/sources.ts';
import { quietClient } from '../support/kafka/client.ts';
import { findFreePorts } from '../support/kafka/cluster/ports.ts';
import { produce } from '../support/kafka/records.ts';
import { needs } from '../support/programs/needs.ts';
import { eventually } from '../support/time/eventually.ts';
import { startInBackground, type Background } from './support/background.ts';
import { certificate, logged, prints, remove } from './support/entry.ts';
import { startIncident, webhookId, type Incident } from './support/incident.ts';
import type { Output } from './support/operations-shell.ts';
import { blocksBelow, readPage, scriptsBelow } from '../docs/support/page.ts';

const subscribers = readPage('docs/subscribers.md');
const producers = readPage('docs/producers.md');
const onboarding = readPage('docs/onboarding.md');
const results = readPage('docs/results.md');

const [, , prepare = '', start = '', send = '', tryHere = ''] = scriptsBelow(subscribers, 'Try it');
const [configuration = ''] = blocksBelow(producers, 'Webhook configurations', 'json');
const [, complete = ''] = scriptsBelow(producers, 'Try it on your machine');
const [consume = ''] = scriptsBelow(results, 'A consumer');
const [resultsSetting = ''] = blocksBelow(results, 'Turn it on', 'yaml');
const [fails, deadLettered] = blocksBelow(onboarding, 'When the endpoint fails', '').map(patternOf);
const [worksAgain] = blocksBelow(onboarding, 'When it works again', '').map(patternOf);

describe('a new webhook, by what the pages say', { ...needs('java', 'maven'), timeout: 300_000 }, () => {
  it('passes the table, gets certificates, fails, is repaired, and gets its dead letters', async () => {
    await using incident = await startIncident();
    await using subscriber = await startSubscriber(incident);
    await remove(incident, [webhookId]);

    // The subscriber, on its own machine.
    const [listening] = await subscriber.receiver.lines.first(1);
    expect(listening).toBe(`listening on ${subscriber.port}`);
    expect((await subscriber.run(send)).stdout).toContain('HTTP/1.1 204 ');
    const own = await subscriber.run(tryHere);
    expect(own).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('\n15 ok, 0 with a fault, 0 skipped\n') as string,
    });

    // The platform team.
    await turnOnResults(incident, subscriber);
    expect(await incident.play('One subscriber', [0])).toMatchObject({ code: 0 });
    await using history = subscriber.inBackground(consume);
    const table = await incident.play('Test the receiver', [0]);
    expect(table).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('\n15 ok, 0 with a fault, 0 skipped\n') as string,
    });
    const live = await incident.play('Go live', [0]);
    expect(live).toMatchObject({ code: 0, stdout: expect.stringMatching(/^new \S+\n.* active *\n$/s) as string });
    expect((await subscriber.run(complete)).code).toBe(0);
    await prints(
      () => subscriber.run(scriptsBelow(onboarding, 'Go live')[2] ?? ''),
      (text) => /^\S+ delivery\.attempted 1 attempt 1 delivered 204 → done\n$/.test(text),
    );
    const healthy = await incident.play('Go live', [1]);
    expect(healthy.stdout).toMatch(new RegExp(`\n${webhookId} .* healthy `));

    await subscriber.receiver[Symbol.asyncDispose]();
    const ids = Array.from({ length: 12 }, (_, index) => `certificate-${index}`);
    await produce(
      quietClient(incident.cluster.brokers),
      'certificates.completed',
      ids.map((id) => certificate(id)),
    );
    await printed(history, fails);
    const failing = await incident.play('When the endpoint fails', [0]);
    expect(failing.stdout).toMatch(new RegExp(`\n${webhookId} .* failing .* the connection was refused *\n`));
    await printed(history, deadLettered);
    // A new version closes the circuit, but the endpoint does not work.
    expect(await incident.play('Limit a webhook', [1], { '600': '6000' })).toMatchObject({ code: 0 });
    await logged(incident, 'circuit.closed');

    const repairedAt = Date.now();
    await subscriber.restart();
    const tried = await incident.play('When it works again', [0]);
    expect(tried).toMatchObject({ code: 0, stdout: expect.stringMatching(/^outcome: delivered /m) as string });
    await produce(quietClient(incident.cluster.brokers), 'certificates.completed', [certificate('after')]);
    const again = await printed(history, worksAgain);
    expect(Date.parse(/works again since (\S+);/.exec(again)?.[1] ?? '')).toBeGreaterThanOrEqual(repairedAt);
    const replayed = await incident.play('When it works again', [1]);
    expect(replayed).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nreplayed: [1-9]/) as string });
    await prints(
      () => subscriber.run(scriptsBelow(onboarding, 'When it works again')[2] ?? ''),
      (text) =>
        ids.every((id) => new RegExp(`delivery\\.attempted ${id} attempt \\d delivered 204 → done\n`).test(text)),
    );
    expect(subscriber.stored()).toEqual(expect.arrayContaining(['1', ...ids, 'after']));
    const twice = await incident.play('When it works again', [1]);
    expect(twice.stdout).toMatch(/\nreplayed before: [1-9]/);
  });
});

/** The subscriber's machine, with a folder of the project and a receiver that runs. */
interface SubscriberMachine extends AsyncDisposable {
  readonly port: number;
  readonly receiver: Background;
  /** The authority of the receiver's certificate, which is the certificate itself. */
  readonly certificate: string;
  /** Runs a block of a page in the folder of the examples, with the addresses of this test. */
  run(block: string): Promise<Output>;
  inBackground(block: string): Background;
  /** Starts the receiver again, and resolves once it listens. */
  restart(): Promise<void>;
  /** Returns the ids of the certificates that the receiver has stored. */
  stored(): readonly string[];
}

async function startSubscriber(incident: Incident): Promise<SubscriberMachine> {
  const { cluster, folder } = incident;
  const port = await findFreePorts(1);
  const examples = join(folder, 'docs/examples');
  await cp(join(root, 'docs/examples'), examples, { recursive: true });
  await symlink(join(root, 'node_modules'), join(examples, 'node_modules'));
  const [, certificateLine = ''] =
    /\n\n(\{.*\})\n/.exec(blocksBelow(subscribers, 'What arrives', 'http')[0] ?? '') ?? [];
  const url = `https://localhost:${port}/certificates`;
  const webhook = configuration.replace('https://hooks.example.com/certificates', url);
  await writeFile(join(examples, 'certificate.json'), certificateLine);
  for (const place of [folder, examples]) await writeFile(join(place, 'webhook.json'), webhook);
  const filledIn = (block: string): string =>
    Object.entries({
      'kafka-1:9092': cluster.brokers.join(),
      '8443': String(port),
      'docs/examples': examples,
      'npx node': `cd ${root}; npx node`,
      // The package is in the folder already: a test asks no registry.
      'npm install kafkajs': ':',
      'CREDENTIALS_FILE=': `PORT=${port} CREDENTIALS_FILE=`,
    }).reduce((text, [from, to]) => text.replaceAll(from, to), block);
  const inFolder = (block: string): Promise<Output> => incident.run(`cd ${examples}\n${filledIn(block)}`);
  const inBackground = (block: string): Background => startInBackground(filledIn(block), { folder: examples });
  await inFolder(prepare);
  let receiver = inBackground(start);
  return {
    port,
    get receiver() {
      return receiver;
    },
    certificate: join(examples, 'cert.pem'),
    run: inFolder,
    inBackground,
    restart: async () => {
      receiver = inBackground(start);
      await receiver.lines.first(1);
    },
    stored: () => {
      using database = new DatabaseSync(join(examples, 'certificates.db'));
      return database
        .prepare('SELECT id FROM certificates')
        .all()
        .map(({ id }) => String(id));
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

/** Turns the results topic on by its page, with one short tier so that deliveries become dead letters soon. */
async function turnOnResults(incident: Incident, { certificate: file }: SubscriberMachine): Promise<void> {
  const { settings } = parse(resultsSetting) as { readonly settings: Readonly<Record<string, string>> };
  // The pods read this file in place of the public authorities.
  await appendFile(join(incident.folder, 'authority.pem'), await readFile(file));
  await incident.values({ ...settings, RETRY_DELAYS: '2s', CIRCUIT_COOLDOWN: '1s' });
  const inCheckout = `cd ${root}; KAFKA_BROKERS=$BROKERS RETRY_DELAYS=2s RESULTS_TOPIC=`;
  const created = await incident.play('Turn it on', [0], { 'RESULTS_TOPIC=': inCheckout });
  expect(created.stdout).toContain(`made ${settings['RESULTS_TOPIC']},`);
  expect(await incident.play('Turn it on', [1])).toMatchObject({ code: 0 });
}

/** Returns a pattern for a line that a page shows. Times and the id of the certificate differ. */
function patternOf(block: string): RegExp {
  const [first = '', ...others] = block.trim().split(/\d{4}-\d\d-\d\dT[\d:.]+Z|507f1f77bcf86cd799439011/);
  return new RegExp(`^${[first, ...others].map((text) => RegExp.escape(text)).join('\\S+')}$`);
}

/** Waits until the consumer has printed a line as the page shows it, and resolves to the line. */
async function printed({ lines }: Background, pattern: RegExp | undefined): Promise<string> {
  const found = (): string | undefined => lines.soFar.find((line) => pattern?.test(line));
  await eventually(`the consumer prints ${pattern}`, async () => Promise.resolve(found() !== undefined));
  return found() ?? '';
}
