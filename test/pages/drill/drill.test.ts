import { execFile } from 'node:child_process';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readPage, readPages, scriptsBelow } from '../../docs/support/page.ts';
import { needs } from '../../support/programs/needs.ts';
import { hungAfterMs } from '../../support/time/eventually.ts';
import { startIncident, webhookId, type Incident } from '../support/incident.ts';
import { openDesk, type Desk } from './desk.ts';
import { draw, faults } from './faults.ts';

describe('the drill', () => {
  it('draws six incidents, and the same ones for the same seed', () => {
    const drawn = draw(7);
    expect(new Set(drawn).size).toBe(6);
    expect(draw(7)).toEqual(drawn);
    expect(draw(8)).not.toEqual(drawn);
  });

  const headings = readPages().flatMap((page) => page.headings.map(({ text }) => text));
  it.each(Object.entries(faults))('has an entry of the handbook for %s', (_, { entry, ticket }) => {
    expect(headings).toContain(entry);
    // Without the words of somebody, it is an alert that calls.
    expect(ticket ?? entry).toMatch(/ |^CertificateWebhooks/);
  });
});

const mayWrite = `kafka-acls.sh --bootstrap-server $BROKERS --add --allow-principal User:certificate-webhooks \\
  --topic certificates.webhook-configurations --operation Write`;
const operations = readPage('docs/operations.md');
const [, restoreOne] = scriptsBelow(operations, 'CertificateWebhooksInvalidConfigurations');
const [, enlarge] = scriptsBelow(operations, 'CertificateWebhooksHandoffFailing');
const put =
  'kubectl -n $NS exec -i deploy/certificate-webhooks -- node src/main.ts configurations put - < webhooks.jsonl';

/** The commands of the handbook against some of the faults: most are those that its own tests do not play. */
const repairs: Readonly<Record<string, string>> = {
  'no right on the group': `kafka-acls.sh --bootstrap-server $BROKERS --add --allow-principal User:certificate-webhooks \\
    --resource-pattern-type prefixed --group certificate-webhooks --operation Read`,
  'short retention': `kafka-configs.sh --bootstrap-server $BROKERS --alter --entity-type topics \\
    --entity-name certificate-webhooks.retry.10s --add-config retention.ms=1209600000`,
  'a suspended pod':
    'kubectl -n $NS delete pod $(kubectl -n $NS get pods -l $PODS -o name | head -n 1 | cut -d / -f 2)',
  'an invalid configuration': `${mayWrite}; ${restoreOne}`,
  'a removed webhook': `${put}; certificate-webhooks redeliver --configuration ${webhookId} --since 1h`,
  'results refused': String(enlarge),
  'an undecodable record': 'npx node src/main.ts dead-letters list',
};
const answers: Readonly<Record<string, string>> = { 'an undecodable record': 'certificates.completed 7 1' };

describe('an incident of the drill', needs('java', 'maven'), () => {
  const stack = new AsyncDisposableStack();
  let incident: Incident;
  let desk: Desk;
  beforeAll(async () => {
    incident = stack.use(await startIncident());
    desk = await openDesk(incident, stack, hungAfterMs);
    return () => stack.disposeAsync();
  }, 300_000);
  // The pods keep connections, which would count as leaks of the test.
  afterEach(() => incident.endpoint.closeConnections());

  it.each(Object.entries(repairs))('is over once the handbook repairs %s, and no sooner', async (name, repair) => {
    const isOver = await faults[name]?.make(incident, stack);
    expect(await isOver?.('')).toBe(false);
    const over = desk.over(isOver ?? (() => false));
    expect(await inShell(repair)).toMatchObject({ code: 0 });
    expect(await inShell(`solved ${answers[name] ?? ''}`)).toEqual({ code: 0, stdout: 'Repaired\n' });
    expect(await over).toBe('Repaired');
  });

  function inShell(command: string): Promise<{ readonly code: number; readonly stdout: string }> {
    return new Promise((resolve) => {
      execFile(desk.shell, ['-c', command], (error, stdout) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout });
      });
    });
  }
});
