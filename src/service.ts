import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { pools, type Pool } from './deliveries/delivery.ts';
import { Gates, type GateEvents } from './flow/gates.ts';
import { createTierSearch, findTopics } from './kafka/topics/topic-admin.ts';
import { systemClock } from './lib/clock.ts';
import { awaitCluster, initializeStartOffsets } from './service/cluster.ts';
import { buildDeliveries, type Deliveries } from './service/deliveries.ts';
import { gaugeSource, StatusReport } from './service/status-report.ts';
import { FlowControl } from './flow/flow-control.ts';
import { flowLimits, gatesPolicy, maxStartsPerTurn } from './flow/limits.ts';
import { StartTurns } from './flow/turns.ts';
import { createIntake, minFetchBytes, type ServiceIntake } from './service/intakes.ts';
import { createClient, createTokenSource } from './service/kafka-clients.ts';
import { KafkaCredentialsWatch } from './service/kafka-credential-files.ts';
import { Liveness } from './service/liveness.ts';
import { startReader, type Reader } from './service/readers.ts';
import { openFramedValues } from './service/schema-registry.ts';
import type { ServiceContext } from './service/service-context.ts';
import { configuredTiers, wantedTopics } from './service/configured-topics.ts';
import { startWebhooks, type Webhooks } from './service/webhook-directory.ts';
import type { Settings } from './settings.ts';
import { startAdminServer } from './telemetry/admin/admin-server.ts';
import { createEvents } from './telemetry/events/events.ts';
import { createMetrics } from './telemetry/metrics/metrics.ts';
import { Readiness } from './telemetry/admin/readiness.ts';

export interface ServiceOptions extends Pick<ServiceContext, 'settings' | 'logger'> {
  readonly version: string;
  /** Aborts the start, which may wait for Kafka without a limit. Has no effect on a service that has started. */
  readonly signal: AbortSignal;
}

export interface Service {
  /** The port of the status page, `/metrics` and the probes. */
  readonly httpPort: number;
  /** Resolves to the reason once a consumer has given up. */
  readonly failed: Promise<Error>;
  /**
   * Drains and ends. Resolves to true if no record is in flight any more. The last commit may have failed even then.
   */
  stop(): Promise<boolean>;
}

/**
 * Starts the service and returns once it reads. Owns all components, in one stack that disposes of them in reverse order.
 *
 * | Step of the start                              | Comes at this place because                                  |
 * | ---------------------------------------------- | ------------------------------------------------------------ |
 * | 1. gates, admin server                         | probes and status page answer while the start waits          |
 * | 2. credentials, Kafka clients, schema registry | all later steps use them                                     |
 * | 3. wait for Kafka and its topics               | the webhooks and the consumers read them                     |
 * | 4. read all webhooks                           | a group assigns partitions only to members that can deliver  |
 * | 5. set the start offsets                       | Kafka refuses it once the group has a member                 |
 * | 6. retry publisher, HTTP client, pipeline      | the consumers pass records to them at once                   |
 * | 7. one reader for each group                   | they use everything above                                    |
 * | 8. liveness, gauges, status                    | they observe the readers                                     |
 *
 * `runServe` calls it, and then `stop` after a signal or after `failed`. First readiness ends, so that Kubernetes no longer
 * counts the instance. Then both consumers drain, which needs all components, before the stack is disposed of.
 *
 * Promises:
 * - An error or an abort before step 7 disposes of everything that was started.
 * - The admin server is among the last to close, so `/readyz` and `/metrics` answer during the drain.
 * - The `AsyncDisposableStack` must be moved at the end. Otherwise everything is disposed of when the start returns.
 */
export async function startService({ settings, logger, version, signal }: ServiceOptions): Promise<Service> {
  await using stack = new AsyncDisposableStack();
  const clock = systemClock;
  const tiers = configuredTiers(settings);
  const { certificates: certificateTopics, results: resultsTopic } = wantedTopics(settings);
  const metrics = createMetrics({ version, certificateTopics, tiers, resultsTopic });
  const events = createEvents({
    logger,
    metrics,
    clock,
    tierLabels: tiers.map(({ label }) => label),
    logDeliveries: settings.log.deliveries,
  });
  const groups = groupsOf(settings);
  const readiness = new Readiness(allConditions(groups));
  const liveness = new Liveness(clock);
  const listeners: GateEvents[] = [events];
  // The gates exist before the webhooks, and look them up only once deliveries wait.
  const directory = { byId: (id: string) => webhooks.byId(id) };
  const gates = stack.use(new Gates({ policy: gatesPolicy(settings), directory, clock, listeners }));
  const instance = `${hostname()}-${randomBytes(4).toString('hex')}`;
  const status = new StatusReport({ settings, version, instance, gates, readiness, liveness, clock });
  const adminServer = stack.use(
    await startAdminServer({
      host: settings.http.host,
      port: settings.http.port,
      instance,
      events,
      metrics,
      readiness: () => readiness.missing(),
      liveness: () => liveness.stalled(),
      endpoints: (selection) => status.endpoints(selection),
      status: () => status.snapshot(),
    }),
  );

  const credentials = stack.use(new KafkaCredentialsWatch({ settings: settings.kafka, events, clock }));
  const tokens = createTokenSource({ settings: settings.kafka, credentials, events, clock });
  readiness.addCheck(() => tokens?.missing() ?? []);
  const login = { credentials, tokens };
  const kafka = stack.use(createClient('reading', settings, logger, login));
  const admin = stack.use(createClient('admin', settings, logger, login));
  const framed = stack.use(await openFramedValues({ settings, events, clock }));
  const context: ServiceContext = { settings, logger, kafka, admin, framed, events, clock, signal };
  await awaitCluster(context);
  readiness.markReached(conditions.topics);
  const webhooks = stack.use(await startWebhooks({ ...context, addCheck: (check) => readiness.addCheck(check) }));
  readiness.markReached(conditions.webhooks);
  await initializeStartOffsets(groups.first, context);

  const deliveries = await buildDeliveries({ ...context, login, gates, listeners, webhooks }, stack);
  readiness.addCheck(() => deliveries.problems());
  const { readers, held } = startReaders({ context, deliveries, gates, groups, instance, readiness, webhooks }, stack);
  liveness.watch({ readers, followers: webhooks.followers, writers: deliveries.writers });
  readiness.addCheck(() => readers.flatMap((reader) => reader.missing()));
  metrics.watch(gaugeSource({ gates, webhooks, readers, tierWatch: deliveries.tierWatch }));
  status.addReading({ webhooks, readers, held, certificates: deliveries.certificates });
  const { graceMs } = settings.shutdown;
  return createService(readers, { readiness, resources: stack.move(), graceMs, httpPort: adminServer.port });
}

interface ReadersOptions {
  readonly context: ServiceContext;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly gates: Gates;
  readonly groups: Readonly<Record<Pool, string>>;
  readonly instance: string;
  readonly readiness: Readiness;
}

/**
 * Starts a reader for each group. Both share the gates, the pipeline and the turns of the event loop. `held` returns the records
 * of the tiers that are held until they are due.
 */
function startReaders(options: ReadersOptions, stack: AsyncDisposableStack) {
  const { context, deliveries, gates, groups, instance, readiness, webhooks } = options;
  const { settings, admin, clock } = context;
  const turns = new StartTurns(maxStartsPerTurn, clock);
  const flowOf = (pool: Pool): FlowControl => new FlowControl(flowLimits(settings, pool), turns);
  const flows = { first: flowOf('first'), retry: flowOf('retry') };
  const intakeOf = (pool: Pool): ServiceIntake =>
    createIntake(pool, { ...context, ...deliveries, gates, flow: flows[pool] });
  const wanted = wantedTopics(settings);
  const searches = {
    first: () => findTopics(admin, wanted.certificates),
    retry: createTierSearch(admin, wanted, clock),
  };
  const intakes = { first: intakeOf('first'), retry: intakeOf('retry') };
  const readers = pools.map((pool) =>
    stack.use(
      startReader({
        ...context,
        groupId: groups[pool],
        instance,
        findTopics: searches[pool],
        requiredTopics: pool === 'first' ? wanted.certificates : [],
        minBytes: minFetchBytes[pool],
        intake: intakes[pool],
        flow: flows[pool],
        awaitsConfigurations: () => pool === 'first' && webhooks.problems().length > 0,
        configurations: pool === 'first' ? webhooks.completeTopic : undefined,
        onJoined: () => readiness.markReached(conditions.member(groups[pool])),
      }),
    ),
  );
  return { readers, held: () => intakes.retry.held() };
}

/** The start conditions of readiness, as `/readyz` names them. */
const conditions = {
  topics: 'the topics',
  webhooks: 'all webhook configurations',
  member: (groupId: string) => `membership in the group ${groupId}`,
};

function allConditions(groups: Readonly<Record<Pool, string>>): readonly string[] {
  return [conditions.topics, conditions.webhooks, ...pools.map((pool) => conditions.member(groups[pool]))];
}

/** Returns the consumer groups. Retries have their own, so they can't hold up first attempts, and lag is separate. */
function groupsOf({ kafka: { groupId } }: Settings): Readonly<Record<Pool, string>> {
  return { first: groupId, retry: `${groupId}.retry` };
}

interface ServiceResources {
  readonly readiness: Readiness;
  readonly resources: AsyncDisposableStack;
  readonly graceMs: number;
  readonly httpPort: number;
}

function createService(
  readers: readonly Reader[],
  { readiness, resources, graceMs, httpPort }: ServiceResources,
): Service {
  return {
    httpPort,
    failed: Promise.race(readers.map(({ consumer }) => consumer.failed)),
    stop: async () => {
      readiness.stop();
      const drained = await drain(readers, graceMs);
      await resources.disposeAsync();
      return drained;
    },
  };
}

/**
 * Part of the grace period, in ms, that requests in flight may not use. It is kept for writing aborted deliveries to a
 * tier, for the last commit, and for leaving the groups.
 */
const handoverMs = 4000;

/**
 * Stops the consumers of both groups at the same time. Resolves to true if no record is in flight any more. The last
 * commit may have failed even then.
 */
export async function drain(readers: readonly Reader[], graceMs: number): Promise<boolean> {
  const requestsMs = Math.max(0, graceMs - handoverMs);
  const drained = await Promise.all(readers.map(({ consumer }) => consumer.stop(requestsMs)));
  return drained.every(Boolean);
}
