import { root } from '../../support/files/sources.ts';
import { hang, status, type Answer } from '../../support/endpoints/answers.ts';
import { startEndpoint } from '../../support/endpoints/endpoint.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { produce } from '../../support/kafka/records.ts';
import { aCertificateDocument, aConfiguration, json } from '../../support/builders.ts';
import { eventually } from '../../support/time/eventually.ts';
import { Random } from '../../simulation/random.ts';
import { expired } from '../../support/tls/authority.ts';
import { certificate, complete, configure, logged, readiness, received, remove } from '../support/entry.ts';
import { ownerId, webhookId, type Incident } from '../support/incident.ts';

/** Returns true once the incident is over. Some ask the player for an answer. It may be asked again and again. */
export type Check = (answer: string) => boolean | Promise<boolean>;

export interface Fault {
  /** The heading of the handbook to go by. It is the alert that fires, unless there is a ticket. */
  readonly entry: string;
  /** The words of somebody who calls. */
  readonly ticket?: string;
  /** Makes the fault, and resolves once it can be seen. What it starts is disposed of with the stack. */
  readonly make: (incident: Incident, stack: AsyncDisposableStack) => Promise<Check>;
}

const [handoff, stuck, absent] = ['HandoffFailing', 'NotSettling', 'Absent'].map(
  (name) => `CertificateWebhooks${name}`,
);
const subscriber = `The subscriber of webhook ${webhookId}:`;
const nothing = `${subscriber} nothing has arrived since last night.`;
const notReady = 'Kubernetes: no pod of certificate-webhooks has been ready for ten minutes.';
const whatIsIt = `${nothing} Our server is up, and we changed nothing. What do you see? (solved WORDS)`;
const users = 'kafka-configs.sh --bootstrap-server $BROKERS --alter --entity-type users --entity-name';
const topics = 'kafka-configs.sh --bootstrap-server $BROKERS --alter --entity-type topics --entity-name';
const deleteTopic = 'kafka-topics.sh --bootstrap-server $BROKERS --delete --topic';
const deletePods = 'kubectl -n $NS delete pod -l $PODS';
const acls = 'kafka-acls.sh --bootstrap-server $BROKERS --remove --force --allow-principal User:certificate-webhooks';
const noRight = (operation: string, to: string): string =>
  `${acls} --resource-pattern-type prefixed --operation ${operation} ${to}`;

/** The faults of the drill, by name. */
export const faults: Readonly<Record<string, Fault>> = {
  'no right to write': alert(handoff, (at) => unready(at, noRight('Write', '--topic certificate-webhooks.'))),
  'no retry topic': alert(handoff, (at) => unready(at, `${deleteTopic} certificate-webhooks.retry.10s`)),
  'no right to read': alert(stuck, (at) => unready(at, noRight('Read', '--topic certificates.'))),
  'no right on the group': alert(stuck, (at) => unready(at, noRight('Read', '--group certificate-webhooks'))),
  'short retention': ticket('When Kafka is down or lost', notReady, (at) =>
    unready(at, `${topics} certificate-webhooks.retry.10s --add-config retention.ms=60000`, deletePods),
  ),
  'no configurations topic': ticket('The configurations topic is gone', notReady, (at) =>
    unready(at, `${deleteTopic} certificates.webhook-configurations`),
  ),
  'another password': ticket('Change the SCRAM password', `${notReady} Somebody rotated a password.`, (at) =>
    unready(at, `${users} certificate-webhooks --add-config "SCRAM-SHA-512=[password=nobody-knows]"`, deletePods),
  ),
  'results refused': alert(handoff, async (at) => {
    const setting = 'RESULTS_TOPIC=certificate-webhooks.results';
    await at.run(`cd ${root}; KAFKA_BROKERS=$BROKERS ${setting} npx node src/main.ts topics --create`);
    await upgrade(at, { RESULTS_TOPIC: 'certificate-webhooks.results' });
    return unready(at, `${topics} certificate-webhooks.results --add-config max.message.bytes=100`);
  }),
  stopped: alert(absent, async (at) => {
    await at.play('Stop everything', [1, 2]);
    return waiting(at);
  }),
  'no offsets': alert(absent, async (at) => {
    await at.play('Stop everything', [1, 2]);
    await at.run('kafka-consumer-groups.sh --bootstrap-server $BROKERS --delete --group certificate-webhooks');
    const isOver = await waiting(at);
    await upgrade(at, { CERTIFICATE_START: undefined });
    await Promise.all(at.pods.map((pod) => pod.exited()));
    return isOver;
  }),
  'a wrong setting': alert('CertificateWebhooksRollOutStuck', async (at) => {
    await upgrade(at, { WEBHOOK_KEYS_FILE: '/etc/webhook-keys/keys.json' });
    return waiting(at);
  }),
  'no egress': alert('CertificateWebhooksManyEndpointsFailing', async (at) => {
    await upgrade(at, { DELIVERY_DENIED_NETWORKS: '127.0.0.0/8' });
    return waiting(at);
  }),
  'a suspended pod': ticket(stuck, 'Prometheus: one of the two pods is down, its metrics time out.', async (at) => {
    const [suspended] = at.pods;
    suspended?.signal('SIGSTOP');
    const isOver = await waiting(at);
    return async (answer) => !at.pods.some((pod) => pod === suspended) && isOver(answer);
  }),
  'an undecodable record': alert(
    'CertificateWebhooksDeadLetters',
    async (at) => {
      const records = [certificate('fine').value, 'no certificate'].map((value) => ({ partition: 7, value }));
      await produce(quietClient(at.cluster.brokers), 'certificates.completed', records);
      await logged(at, 'record.rejected');
      return (answer) => /^certificates\.completed\W+7\W+1$/.test(answer);
    },
    'Which record is it? (solved TOPIC PARTITION OFFSET)',
  ),
  'a dead letter': ticket('Dead letters', `${nothing} Our server works again: send what you gave up.`, async (at) => {
    await upgrade(at, { DELIVERY_MAX_AGE: '1s' });
    at.endpoint.script('/certificates', 500, 200);
    await complete(at, 'given-up');
    await logged(at, 'delivery.dead_lettered');
    return () => arrived(at, 'given-up') > 1;
  }),
  'a removed webhook': ticket(
    'Back up the configurations',
    `${nothing} We did not cancel. We want all of it.`,
    async (at) => {
      at.endpoint.script('/certificates', 500, 200);
      await complete(at, 'in-a-retry-topic');
      await received(at, 'in-a-retry-topic');
      await remove(at, [webhookId]);
      const isOver = await waiting(at);
      return async (answer) => arrived(at, 'in-a-retry-topic') > 1 && isOver(answer);
    },
  ),
  'no webhook is left': alert('CertificateWebhooksNoConfigurations', async (at) => {
    await remove(at, [webhookId]);
    return waiting(at);
  }),
  'an invalid configuration': alert('CertificateWebhooksInvalidConfigurations', async (at) => {
    await reconfigure(at, { url: at.endpoint.url('/certificates').replace('https:', 'ftp:') });
    return waiting(at);
  }),
  'a paused webhook': ticket('One subscriber', nothing, async (at) => {
    await reconfigure(at, { url: at.endpoint.url('/certificates'), paused: true });
    return waiting(at);
  }),
  'a new credential': ticket(
    'One subscriber',
    `${nothing} We take the token "after-the-rotation" alone now.`,
    async (at) => {
      let accepted = 0;
      const answer: Answer = (exchange) => {
        const isNew = exchange.request.header('authorization') === 'Bearer after-the-rotation';
        if (isNew) accepted += 1;
        status(isNew ? 200 : 401)(exchange);
      };
      at.endpoint.script('/certificates', answer);
      await waiting(at);
      return () => accepted > 0;
    },
  ),
  'lost data': ticket('Deliver again', `${subscriber} our last hour is lost. Please send it again.`, async (at) => {
    await waiting(at);
    await received(at, 'waits');
    const sent = arrived(at, 'waits');
    return () => arrived(at, 'waits') > sent;
  }),
  'an expired certificate': ticket('One subscriber', whatIsIt, async (at, stack) => {
    const endpoint = stack.use(await startEndpoint({ identity: at.authority.issue(expired()) }));
    await reconfigure(at, { url: endpoint.url('/certificates') });
    await waiting(at);
    return (answer) => /expired/i.test(answer);
  }),
  'an endpoint that hangs': ticket('One subscriber', whatIsIt, async (at) => {
    at.endpoint.script('/certificates', hang());
    await waiting(at);
    return (answer) => /time(d )?.?out|hang/i.test(answer);
  }),
  'an unknown owner': alert(
    'CertificateWebhooksMoreUnclaimed',
    async (at) => {
      const stranger = '665f1f77bcf86cd7994390aa';
      const documents = [stranger, ownerId, stranger].map((_ownerId) => json(aCertificateDocument({ _ownerId })));
      await complete(at, ...documents);
      await received(at, ownerId);
      return (answer) => answer === stranger;
    },
    'Whose certificates? (solved OWNER)',
  ),
};

/** Draws six different names. The same seed draws the same ones, in the same order. */
export function draw(seed: number): readonly string[] {
  const random = new Random(seed);
  const left = Object.keys(faults);
  return Array.from({ length: 6 }, () => left.splice(random.between(0, left.length - 1), 1)).flat();
}

/** The question is for what the player has to find out, where nothing can be repaired. */
function alert(entry = '', make: Fault['make'], question?: string): Fault {
  return { entry, make, ...(question === undefined ? {} : { ticket: `${entry} is firing. ${question}` }) };
}

function ticket(entry = '', words: string, make: Fault['make']): Fault {
  return { entry, make, ticket: words };
}

/** Runs commands, and writes certificates. Resolves once a pod is not ready. The first attempt at one of them fails. */
async function unready(at: Incident, ...commands: readonly string[]): Promise<Check> {
  at.endpoint.script('/certificates', 500, 200);
  for (const command of commands) await at.run(command);
  const isOver = await waiting(at);
  await eventually('a pod is not ready', async () => (await readiness(at)).some((missing) => missing !== '[]'));
  return isOver;
}

/** Writes a certificate. The incident is over once it has arrived, and all pods are ready. */
async function waiting(at: Incident): Promise<Check> {
  const before = arrived(at, 'waits');
  await complete(at, 'waits');
  return async () => {
    const missing = await readiness(at);
    const isReady = missing.length === at.pods.length && missing.every((text) => text === '[]');
    return isReady && arrived(at, 'waits') > before;
  };
}

function arrived({ endpoint }: Incident, id: string): number {
  return endpoint.requests.filter(({ body }) => body.includes(id)).length;
}

async function upgrade(at: Incident, settings: Parameters<Incident['values']>[0]): Promise<void> {
  await at.values(settings);
  await at.run('helm upgrade certificate-webhooks helm/certificate-webhooks -n $NS --values values.yaml || true');
}

async function reconfigure(at: Incident, fields: object): Promise<void> {
  await configure(at, [aConfiguration({ _id: webhookId, _ownerId: ownerId, ...fields })]);
}
