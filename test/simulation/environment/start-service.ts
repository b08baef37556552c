import type { Kafka } from '../../../src/kafka/client/kafka.ts';
import { createDecoder } from '../../../src/certificates/decoder.ts';
import { Attempts } from '../../../src/pipeline/running-delivery.ts';
import type { Pool } from '../../../src/deliveries/delivery.ts';
import { Gates, type GateEvents } from '../../../src/flow/gates.ts';
import { createRequestHeads, type Sender } from '../../../src/deliveries/request.ts';
import type { Intake } from '../../../src/kafka/consumer/admission.ts';
import { KafkaResultPublisher, type ResultPublisherOptions } from '../../../src/kafka/producer/result-publisher.ts';
import { KafkaRetryPublisher } from '../../../src/kafka/producer/retry-publisher.ts';
import { findTopics } from '../../../src/kafka/topics/topic-admin.ts';
import { tierTopicsIn } from '../../../src/kafka/topics/wanted-topics.ts';
import { askCommits } from '../../../src/kafka/reader/replacement-check.ts';
import { WebhookTopic } from '../../../src/kafka/reader/webhook-topic.ts';
import { Pipeline } from '../../../src/pipeline/pipeline.ts';
import { FlowControl } from '../../../src/flow/flow-control.ts';
import { flowLimits, gatesPolicy, maxStartsPerTurn } from '../../../src/flow/limits.ts';
import { StartTurns } from '../../../src/flow/turns.ts';
import { createIntake, minFetchBytes } from '../../../src/service/intakes.ts';
import { startReader, type Reader } from '../../../src/service/readers.ts';
import { configuredTiers } from '../../../src/service/configured-topics.ts';
import type { Webhooks } from '../../../src/service/webhook-directory.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Settings } from '../../../src/settings.ts';
import type { Events } from '../../../src/telemetry/events/events.ts';
import { WebhookDirectory } from '../../../src/webhooks/directory.ts';
import { VersionReader } from '../../../src/webhooks/version-reader.ts';
import type { Directory } from '../../../src/webhooks/webhook.ts';
import type { MemoryBroker } from '../broker/memory-broker.ts';
import { createMemoryTopicLog } from '../broker/memory-topic-log.ts';
import type { BrokerConnection } from '../broker/broker-connection.ts';
import { topics } from '../scenario/scenario.ts';
import type { Random } from '../random.ts';
import type { Observers } from './observers.ts';
import type { OccupationCheck } from './occupation-check.ts';
import { connectRegistry } from './registry.ts';
import type { Mutation } from '../mutants/mutation.ts';

export interface ServiceOptions {
  readonly name: string;
  readonly settings: Settings;
  readonly broker: MemoryBroker;
  readonly connection: BrokerConnection;
  readonly http: Sender;
  readonly observers: Observers;
  readonly random: Random;
  readonly mutation: Mutation;
  /** The longest time in ms that a record waits for its batch to fill. */
  readonly lingerMs: number;
  /** Checks the counts of the process, if it is given. That takes time for each delivery at each step. */
  readonly occupation?: OccupationCheck;
}

interface StartOptions extends ServiceOptions {
  readonly kafka: Kafka;
  /** Cancels the start. */
  readonly signal: AbortSignal;
  /** Everything that has to be disposed of when the process stops. */
  readonly stack: AsyncDisposableStack;
}

interface ServiceContext extends StartOptions {
  readonly clock: Clock;
}

/**
 * Starts the service as `service.ts` does, with the memory broker instead of Kafka and simulated endpoints instead of
 * HTTP. Returns undefined if the start was cancelled.
 */
export async function startService(options: StartOptions): Promise<Readonly<Record<Pool, Reader>> | undefined> {
  const { observers, mutation, signal } = options;
  const clock = mutation.clock(options.connection.clock);
  const context: ServiceContext = { ...options, clock: options.occupation?.watch(clock) ?? clock };
  const { events } = observers;
  const kafka = mutation.kafka(observers.kafka(context.kafka));
  const webhooks = await startDirectory(events, context);
  const directory = mutation.directory(webhooks);
  if (signal.aborted) return undefined;
  const intakeOf = buildDeliveries({ kafka, directory, events }, context);
  const turns = new StartTurns(mutation.startsPerTurn(maxStartsPerTurn), context.clock);
  const readerOf = (pool: Pool): Reader => {
    const flow = new FlowControl(mutation.flowLimits(flowLimits(context.settings, pool)), turns);
    const configurations = pool === 'first' ? () => webhooks.completeTopic() : undefined;
    const reader = startPoolReader(pool, intakeOf(pool, flow), { kafka, events, flow, configurations }, context);
    void reader.consumer.failed.then((error) => observers.failed(error));
    return context.stack.use(reader);
  };
  return { first: readerOf('first'), retry: readerOf('retry') };
}

async function startDirectory(
  events: Events,
  { broker, connection, settings, kafka, clock, stack, mutation }: ServiceContext,
): Promise<Directory & Pick<Webhooks, 'completeTopic'>> {
  const table = new WebhookDirectory(
    { isAllowedPort: () => true, mostInFlight: settings.delivery.maxInFlightPerEndpoint },
    events,
  );
  const log = createMemoryTopicLog(broker, connection, topics.configurations);
  const framed = connectRegistry(connection, events);
  const versions = stack.use(new VersionReader({ directory: table, framed, clock }));
  const { groupId } = settings.kafka;
  const isReplaced = mutation.isReplaced(askCommits({ kafka, groupId, topics: [topics.completed, topics.expired] }));
  const options = { kafka, topic: topics.configurations, table: mutation.table(versions), events, clock, isReplaced };
  const topic = stack.use(new WebhookTopic(options, mutation.configurations(log)));
  await topic.caughtUp().catch(() => undefined);
  return {
    ofOwner: (ownerId) => table.ofOwner(ownerId),
    byId: (id) => table.byId(id),
    caughtUp: () => topic.caughtUp(),
    isComplete: () => topic.isComplete(),
    completeTopic: () => topic.complete,
  };
}

interface PipelineOptions {
  readonly kafka: Kafka;
  readonly directory: Directory;
  readonly events: Events;
}

function buildDeliveries(
  { kafka, directory, events }: PipelineOptions,
  context: ServiceContext,
): (pool: Pool, flow: FlowControl) => Intake {
  const { settings, clock, http, observers, random, mutation, lingerMs, stack } = context;
  const listeners: GateEvents[] = [events];
  const policy = mutation.gatesPolicy(gatesPolicy(settings));
  const gates = stack.use(new Gates({ policy, directory, clock, listeners }));
  const retryPublisher = stack.use(
    new KafkaRetryPublisher({
      kafka,
      tiers: configuredTiers(settings),
      tierWatch: { writable: (tier) => tier, nextLook: () => Promise.resolve() },
      deadLetterTopic: settings.deadLetters.topic,
      compression: 'none',
      events,
      clock,
      random: () => random.next(),
      lingerMs,
    }),
  );
  const owe = mutation.owe((result, assignment) => retryPublisher.publishOwedResult(result, assignment));
  const results = createResultPublisher({ kafka, events, owe }, context);
  if (results !== undefined) listeners.push(stack.use(results));
  const deliveryIdHeader = settings.delivery.idHeader;
  const heads = createRequestHeads({ userAgent: 'certificate-webhooks', eventTypeHeader: undefined, deliveryIdHeader });
  const attempts = new Attempts({ directory, gates, http, heads, clock });
  const decoder = createDecoder({
    eventTypeByTopic: new Map(settings.certificates.topics.map(({ topic, eventType }) => [topic, eventType])),
  });
  const pipeline = new Pipeline({
    decode: decoder.decode,
    directory,
    attempts: context.occupation?.attempts(attempts, gates) ?? attempts,
    retryPublisher: mutation.retryPublisher(retryPublisher),
    results: results && mutation.results(results),
    recordResults: results && mutation.recordResults(results),
    schedule: { delaysMs: settings.retry.delaysMs, maxAgeMs: settings.delivery.maxAgeMs },
    events,
    clock,
  });
  const options = { settings, decoder, pipeline, attempts, results, gates, events, clock };
  return (pool, flow) => observers.intake(mutation.intake(createIntake(pool, { ...options, flow }), pool));
}

function createResultPublisher(
  { kafka, events, owe }: Pick<PipelineOptions, 'kafka' | 'events'> & Pick<ResultPublisherOptions, 'owe'>,
  { settings, broker, clock, random, lingerMs }: ServiceContext,
): KafkaResultPublisher | undefined {
  const { topic } = settings.results;
  if (topic === undefined) return undefined;
  return new KafkaResultPublisher({
    kafka,
    topic,
    partitions: broker.partitions(topic).length,
    owe,
    compression: 'none',
    events,
    clock,
    random: () => random.next(),
    lingerMs,
  });
}

type PoolReaderOptions = Pick<Parameters<typeof startReader>[0], 'flow' | 'configurations'>;

function startPoolReader(
  pool: Pool,
  intake: Intake,
  { kafka, events, ...options }: Pick<PipelineOptions, 'kafka' | 'events'> & PoolReaderOptions,
  { name, settings, clock, observers }: ServiceContext,
): Reader {
  const { groupId } = settings.kafka;
  const { flow } = options;
  return startReader({
    ...options,
    settings,
    events,
    clock,
    kafka,
    admin: kafka,
    groupId: pool === 'first' ? groupId : `${groupId}.retry`,
    instance: name,
    requiredTopics: [],
    awaitsConfigurations: () => false,
    minBytes: minFetchBytes[pool],
    findTopics: async () => topicsToRead(pool, await findTopics(kafka)),
    intake: observers.flow(intake, { flow, maxRecords: flowLimits(settings, pool).maxRecords, pool }),
    onJoined: () => undefined,
  });
}

function topicsToRead(pool: Pool, found: readonly string[]): readonly string[] {
  switch (pool) {
    case 'first':
      return found.filter((topic) => topic === topics.completed || topic === topics.expired);
    case 'retry':
      return tierTopicsIn(found, topics.tierPrefix).map(({ topic }) => topic);
  }
}
