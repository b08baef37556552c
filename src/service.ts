import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { pools, type Pool } from './deliveries/delivery.ts';
import { endpointsStatus } from './deliveries/gates/endpoint-status.ts';
import { Gates } from './deliveries/gates/gates.ts';
import { listTopics } from './kafka/topics/topic-wait.ts';
import { tierTopicsIn } from './kafka/topics/wanted-topics.ts';
import { systemClock } from './lib/clock.ts';
import { awaitCluster, initializeStartOffsets } from './service/cluster.ts';
import { buildDeliveries, gatesPolicy } from './service/deliveries.ts';
import { drain } from './service/drain.ts';
import { gaugeSource } from './service/gauge-sources.ts';
import { EventLoopWatch } from './backpressure/event-loop-utilization.ts';
import { createIntake, createLimits, minFetchBytes } from './service/intakes.ts';
import { createClient } from './service/kafka-clients.ts';
import { KafkaCredentialsWatch } from './service/kafka-credential-files.ts';
import { Liveness } from './service/liveness.ts';
import { openLoadMeter } from './backpressure/load-meter.ts';
import { startReader, type Reader } from './service/readers.ts';
import { StatusReport } from './service/status-report.ts';
import { openFramedValues } from './service/schema-registry.ts';
import type { ServiceContext } from './service/service-context.ts';
import { startThrottling } from './backpressure/start-throttle.ts';
import { configuredTiers, wantedTopics } from './service/configured-topics.ts';
import { startWebhooks } from './service/webhook-directory.ts';
import type { Settings } from './settings.ts';
import { startAdminServer } from './telemetry/admin/admin-server.ts';
import { createEvents } from './telemetry/events/events.ts';
import { createMetrics } from './telemetry/metrics/metrics.ts';
import { Readiness } from './telemetry/admin/readiness.ts';

interface ServiceOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly version: string;
  /** Calls off the start, which may wait for Kafka without end. A service that has started is stopped instead. */
  readonly signal: AbortSignal;
}

export interface Service {
  /** Where `/metrics` and the probes are. */
  readonly httpPort: number;
  /** Resolves to why, once a part of it has failed for good. */
  readonly failed: Promise<Error>;
  /** Drains and ends. Resolves to whether all that was under way is settled. */
  stop(): Promise<boolean>;
}

/** Builds the parts in order; they are taken down in reverse, also when one of them does not start. */
export async function startService({ settings, logger, version, signal }: ServiceOptions): Promise<Service> {
  await using building = new AsyncDisposableStack();
  const clock = systemClock;
  const tiers = configuredTiers(settings);
  const metrics = createMetrics({ version, certificateTopics: wantedTopics(settings).certificates, tiers });
  const events = createEvents({ logger, metrics, clock, tierLabels: tiers.map(({ label }) => label) });
  const groups = groupsOf(settings);
  const readiness = new Readiness(allAwaited(groups));
  const liveness = new Liveness(clock);
  const gates = building.use(new Gates({ policy: gatesPolicy(settings), clock, events }));
  const instance = `${hostname()}-${randomBytes(4).toString('hex')}`;
  const status = new StatusReport({ settings, version, instance, gates, readiness, liveness, clock });
  const adminServer = building.use(
    await startAdminServer({
      ...settings.http,
      logger,
      metrics,
      readiness: () => readiness.missing(),
      liveness: () => liveness.stalled(),
      endpoints: () => endpointsStatus(gates.all(), clock.now()).failing.first,
      status: () => status.snapshot(),
    }),
  );

  const credentials = building.use(new KafkaCredentialsWatch({ settings: settings.kafka, events, clock }));
  const kafka = building.use(createClient('reading', settings, logger, credentials));
  const admin = building.use(createClient('admin', settings, logger, credentials));
  const framed = building.use(openFramedValues({ settings, events, clock }));
  const context: ServiceContext = { settings, logger, kafka, admin, framed, events, clock, signal };
  await awaitCluster(context);
  readiness.markReached(awaited.topics);
  const webhooks = building.use(await startWebhooks(context));
  readiness.markReached(awaited.webhooks);
  await initializeStartOffsets(groups.first, context);

  const deliveries = buildDeliveries({ ...context, credentials, gates, webhooks }, building);
  readiness.addCheck(() => deliveries.retryPublisher.failingTopics().map((topic) => `writes to ${topic}`));
  const intakeOptions = { ...context, ...deliveries, gates };
  const intakes = { first: createIntake('first', intakeOptions), retry: createIntake('retry', intakeOptions) };
  const work = { pipeline: deliveries.pipeline, gates, eventLoop: new EventLoopWatch() };
  const readers = pools.map((pool) =>
    building.use(
      startReader({
        ...context,
        groupId: groups[pool],
        instance,
        findTopics: async () => topicsToRead(pool, settings, await listTopics(admin)),
        minBytes: minFetchBytes[pool],
        intake: intakes[pool],
        limits: createLimits(settings, pool, work),
        onJoined: () => readiness.markReached(awaited.member(groups[pool])),
      }),
    ),
  );
  const limits = readers.map((reader) => reader.limits);
  building.use(startThrottling({ meter: openLoadMeter(), limits, gates, clock }));
  for (const reader of readers) liveness.watch(reader);
  metrics.watch(gaugeSource({ gates, webhooks, readers }));
  status.addReading({ webhooks, readers, held: () => intakes.retry.held() });
  const { graceMs } = settings.shutdown;
  return running(readers, { readiness, parts: building.move(), graceMs, httpPort: adminServer.port });
}

/** What readiness waits for, in the words of `/readyz`. */
const awaited = {
  topics: 'the topics',
  webhooks: 'all webhook configurations',
  member: (groupId: string) => `membership in the group ${groupId}`,
};

function allAwaited(groups: Readonly<Record<Pool, string>>): readonly string[] {
  return [awaited.topics, awaited.webhooks, ...pools.map((pool) => awaited.member(groups[pool]))];
}

/** Two groups: retries must not be able to stop first attempts, and lag means something else in each. */
function groupsOf({ kafka: { groupId } }: Settings): Readonly<Record<Pool, string>> {
  return { first: groupId, retry: `${groupId}.retry` };
}

/** Every topic that is a tier is read, configured or not: what waits in a retired one is not lost. */
function topicsToRead(pool: Pool, settings: Settings, found: readonly string[]): readonly string[] {
  switch (pool) {
    case 'first':
      return wantedTopics(settings).certificates.filter((topic) => found.includes(topic));
    case 'retry':
      return tierTopicsIn(found, settings.retry.topicPrefix).map(({ topic }) => topic);
  }
}

interface Running {
  readonly readiness: Readiness;
  readonly parts: AsyncDisposableStack;
  readonly graceMs: number;
  readonly httpPort: number;
}

function running(readers: readonly Reader[], { readiness, parts, graceMs, httpPort }: Running): Service {
  return {
    httpPort,
    failed: Promise.race(readers.map(({ consumer }) => consumer.failed)),
    stop: async () => {
      readiness.stop();
      const drained = await drain(readers, graceMs);
      await parts.disposeAsync();
      return drained;
    },
  };
}
