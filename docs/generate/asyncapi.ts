import packageJson from '../../package.json' with { type: 'json' };
import { changedByHeader } from '../../src/cli/configurations/stored.ts';
import { topicsToCreate, type TopicCreation } from '../../src/kafka/topics/topic-creation.ts';
import { formatDuration } from '../../src/lib/units.ts';
import { wantedTopics } from '../../src/service/configured-topics.ts';
import { defaultSettings } from '../../test/support/service/default-settings.ts';
import { configurationJsonSchema } from './configuration-json-schema.ts';
import { publishedSchema, type JsonSchema } from './published-schema.ts';
import { recordHeaders } from './record-headers.ts';

/** The path from the root of the checkout. */
export const asyncApiPath = 'docs/asyncapi.yaml';

/** Returns the AsyncAPI document of the topics that the service reads and writes. */
export function asyncApiDocument() {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Certificate webhooks: topics',
      version: packageJson.version,
      description,
    },
    defaultContentType: 'application/json',
    channels,
    operations: Object.fromEntries(
      operations.map(([action, channel, summary]) => [
        `${action}_${channel}`,
        { action, channel: { $ref: `#/channels/${channel}` }, summary },
      ]),
    ),
    components: {
      messages,
      schemas: {
        Certificate: publishedSchema('certificate'),
        WebhookConfiguration: configurationJsonSchema(),
        Result: publishedSchema('result'),
      },
    },
  };
}

const certificateHeaders = {
  type: 'object',
  properties: {
    'event-type': {
      type: 'string',
      description: 'The event, in a topic to which the settings give none. A record with any other text is ignored.',
    },
    ce_type: { type: 'string', description: 'The same, if there is no `event-type`.' },
    traceparent: { type: 'string', description: 'W3C Trace Context, copied to retries and dead letters.' },
    tracestate: { type: 'string' },
  },
};

const configurationHeaders = {
  type: 'object',
  properties: {
    [changedByHeader]: {
      type: 'string',
      description:
        'Who made the change, for the command `configurations list --history`. The service does not read it.',
    },
  },
};

const description = `The topics of one Kafka cluster. Names, partitions and settings are the defaults, as the command \`topics --create\` makes them,
with \`min.insync.replicas\` 2.
Actions are those of the service: what it receives, others write.

- Values are UTF-8 JSON. Certificates and configurations may also be framed by a schema registry, as Avro, JSON Schema or Protobuf.
- Values of headers are UTF-8 text, and each header is set once.
- The pages for the platform team explain all of it: producers.md and results.md, beside this file.
- Later versions may add headers, fields and values. Ignore what you do not know.`;

const settings = defaultSettings({ RESULTS_TOPIC: 'certificate-webhooks.results' });
const wanted = wantedTopics(settings);
const created = topicsToCreate(wanted, new Map(), 3);
const delays = settings.retry.delaysMs.map(formatDuration);

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const ownerKey = {
  type: ['string', 'null'],
  description: 'Any bytes, the `_ownerId` by advice. Retries and dead letters keep it.',
};
const resultKey = {
  type: 'string',
  minLength: 1,
  description:
    'The `_id` of the webhook configuration. Of a record that led to no delivery: its `_ownerId`, or `topic/partition/offset` if none is known.',
};
const webhookKey = { type: 'string', minLength: 1, description: 'The `_id` of the webhook configuration.' };

const messages = {
  certificate: {
    summary: 'A certificate that was completed, or has expired.',
    headers: certificateHeaders,
    payload: ref('Certificate'),
    bindings: keyed(ownerKey),
  },
  configuration: {
    summary: 'A webhook configuration, which replaces the one before it.',
    headers: configurationHeaders,
    payload: ref('WebhookConfiguration'),
    bindings: keyed(webhookKey),
  },
  removedConfiguration: {
    summary: 'A tombstone, which removes a webhook configuration.',
    headers: configurationHeaders,
    payload: { type: 'null' },
    bindings: keyed(webhookKey),
  },
  retry: {
    summary: 'A delivery with the body to send.',
    headers: recordHeaders.retry,
    payload: ref('Certificate'),
    bindings: keyed(ownerKey),
  },
  owedResult: {
    summary:
      'A result that the results topic has not taken yet. It is written there later, and nothing is sent for it.',
    headers: recordHeaders.owedResult,
    payload: ref('Result'),
    bindings: keyed(resultKey),
  },
  deadDelivery: {
    summary: 'A delivery that is not attempted again, with its body unless the brokers refused that for its size.',
    headers: recordHeaders.deadDelivery,
    payload: { anyOf: [ref('Certificate'), { type: 'null' }] },
    bindings: keyed(ownerKey),
  },
  deadRecord: {
    summary: 'A record that is no certificate: its key, its value byte for byte, and its headers beside these.',
    contentType: 'application/octet-stream',
    headers: recordHeaders.deadRecord,
    bindings: keyed(ownerKey),
  },
  replayMarker: {
    summary:
      'The mark of a dead letter that was put back for delivery or purged. Those of a delivery have its ids too.',
    headers: recordHeaders.replayMarker,
    payload: { type: 'null' },
    bindings: keyed(ownerKey),
  },
  result: {
    summary: 'What became of an attempt, of a delivery, of an endpoint, or of a record that led to no delivery.',
    payload: ref('Result'),
    bindings: keyed(resultKey),
  },
} as const;

function keyed(key: JsonSchema) {
  return { kafka: { key } };
}

const channels = {
  ...Object.fromEntries(
    settings.certificates.topics.map(({ topic, eventType = 'certificates' }) => [
      eventType,
      {
        summary: `Records of the event ${eventType} (\`CERTIFICATE_TOPICS\`).`,
        ...topicChannel(topic, ['certificate']),
      },
    ]),
  ),
  webhook_configurations: {
    summary: 'The webhook configurations (`WEBHOOK_CONFIGURATIONS`).',
    ...topicChannel(wanted.configurations, ['configuration', 'removedConfiguration']),
  },
  retries: {
    summary:
      'Deliveries that wait for their next attempt, and results that wait for their topic (`RETRY_TOPIC_PREFIX`).',
    ...topicChannel(wanted.tiers[0], ['retry', 'owedResult']),
    address: `${wanted.tierPrefix}.{delay}`,
    parameters: { delay: { description: 'How long a record waits there (`RETRY_DELAYS`).', enum: delays } },
  },
  dead_letters: {
    summary: 'Deliveries that have failed for good, and records that are no certificates (`DEAD_LETTER_TOPIC`).',
    ...topicChannel(wanted.deadLetters, ['deadDelivery', 'deadRecord', 'replayMarker']),
  },
  results: {
    summary: 'What becomes of deliveries. Written only if `RESULTS_TOPIC` names a topic, and there is no default.',
    ...topicChannel(wanted.results, ['result']),
  },
};

const operations = [
  ...settings.certificates.topics.map(
    ({ eventType = 'certificates' }) => ['receive', eventType, 'Delivers them.'] as const,
  ),
  ['receive', 'webhook_configurations', 'Applies the newest version under each key.'],
  ['send', 'retries', 'Stores a delivery until its next attempt.'],
  ['receive', 'retries', 'Attempts a delivery again once it is due.'],
  [
    'send',
    'dead_letters',
    'Stores what is not attempted again. The commands `dead-letters replay` and `configurations remove --purge` send the marks.',
  ],
  ['send', 'results', 'Tells what has become of a delivery, before it is settled.'],
] as const;

function topicChannel(topic: string | undefined, names: readonly (keyof typeof messages)[]) {
  return {
    address: topic,
    messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
    bindings: { kafka: topicBinding(created.find((one) => one.topic === topic)) },
  };
}

/** Describes a topic in Kafka's binding, which knows no `min.insync.replicas`, and has lists and numbers for texts. */
function topicBinding(made: TopicCreation | undefined) {
  if (made === undefined) throw new Error('the command topics makes no such topic');
  const { partitions, replicationFactor: replicas } = made;
  const { 'cleanup.policy': policy, 'min.insync.replicas': _unknown, ...others } = made.settings;
  const numbers = Object.entries(others).map(([name, value]) => [name, Number(value)] as const);
  return { partitions, replicas, topicConfiguration: { 'cleanup.policy': [policy], ...Object.fromEntries(numbers) } };
}
