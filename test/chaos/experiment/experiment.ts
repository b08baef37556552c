import { setTimeout } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import type { TaskMeta } from 'vitest';
import type { Environment } from '../../../src/settings.ts';
import { createAuthority } from '../../support/tls/authority.ts';
import { json } from '../../support/builders.ts';
import { quietClient } from '../../support/kafka/client.ts';
import type { LocalCluster } from '../../support/kafka/cluster/local-cluster.ts';
import { produce } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { createSubscribers, configurationOf, type Subscribers } from './subscribers.ts';
import { CommitWatch } from '../evidence/commit-watch.ts';
import { Random } from '../../simulation/random.ts';
import { environmentFor, maxInFlight, partitions, readsOf } from './service-environment.ts';
import { topicNames, type TopicNames } from '../../support/service/topic-names.ts';
import { readPublishedDeliveries, readProducedRecords, readResults } from '../evidence/topic-evidence.ts';
import { explainAll } from '../evidence/explanations.ts';
import { LoadGenerator } from './load-generator.ts';
import type { Behaviour } from '../receiver/messages.ts';
import { startReceiver, type Receiver } from '../receiver/receiver.ts';
import type { FaultReport } from '../report/table.ts';
import type { Scale } from './scale.ts';
import { Fleet } from '../service/fleet.ts';
import type { Instance } from '../service/instance.ts';
import { untilAllCommitted } from '../evidence/until-all-committed.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { checkEvidence, type Expectation } from '../checks/check-evidence.ts';

export interface ExperimentOptions {
  /** The fault and how often it is injected, for the report. */
  readonly fault: string;
  /** The test. Its report is stored in `meta`. */
  readonly task: { readonly meta: TaskMeta };
  readonly cluster: LocalCluster;
  readonly scale: Scale;
  /** Environment variables that replace the defaults of the suite. */
  readonly environment?: Environment;
  /** The endpoints. By default there is one that is healthy. */
  readonly endpoints?: readonly Behaviour[];
  /** Returns the index of the endpoint of a webhook, by default the first one. Webhooks may share an endpoint. */
  readonly endpointOf?: (webhookIndex: number) => number;
}

const respondAfterMs = 10;

/** Creates topics, subscribers and endpoints, and watches the commits. The test starts the service. */
export async function startExperiment(options: ExperimentOptions): Promise<Experiment> {
  await using stack = new AsyncDisposableStack();
  const { cluster, endpoints = ['healthy'], endpointOf = () => 0 } = options;
  const names = topicNames(uniqueName('chaos'), ['1s', '2s', '5s']);
  const kafka = quietClient(cluster.brokers);
  await createTopics(kafka, [
    ...[names.completed, ...names.tiers].map((topic) => ({ topic, partitions })),
    // The checks ask when a result was written, not when it was known.
    { topic: names.results, partitions, settings: { 'message.timestamp.type': 'LogAppendTime' } },
    { topic: names.deadLetters },
    { topic: names.configurations, settings: { 'cleanup.policy': 'compact' } },
  ]);
  const authority = createAuthority();
  const files = stack.use(await writeTemporaryFiles({ 'authority.pem': authority.certificate }));
  const receiver = stack.use(await startReceiver({ identity: authority.issue(), endpoints, respondAfterMs }));
  const subscribers = createSubscribers(40);
  await produce(
    kafka,
    names.configurations,
    subscribers.webhooks.map((webhook, index) => ({
      key: webhook.id,
      value: json(configurationOf(webhook, receiver.url(`/${webhook.id}`, endpointOf(index)))),
    })),
  );
  const environment = environmentFor(names, cluster.brokers, files.path('authority.pem'));
  const fleet = stack.use(new Fleet({ ...environment, ...options.environment }));
  const commits = stack.use(new CommitWatch(kafka, readsOf(names)));
  const load = stack.use(
    new LoadGenerator({
      kafka,
      topic: names.completed,
      partitions,
      owners: subscribers.owners,
      perSecond: 300,
    }),
  );
  return new Experiment({
    options,
    environment,
    kafka,
    names,
    subscribers,
    receiver,
    fleet,
    commits,
    load,
    stack: stack.move(),
  });
}

interface ExperimentResources {
  readonly options: ExperimentOptions;
  readonly environment: Environment;
  readonly kafka: Kafka;
  readonly names: TopicNames;
  readonly subscribers: Subscribers;
  readonly receiver: Receiver;
  readonly fleet: Fleet;
  readonly commits: CommitWatch;
  readonly load: LoadGenerator;
  /** Disposes of everything above. */
  readonly stack: AsyncDisposableStack;
}

/**
 * One fault, injected into a running system: three brokers, the service in its own processes, endpoints and a producer.
 *
 * A test uses it in this order:
 *
 * 1. `startInstances` starts the service, and with the first call also the producer.
 * 2. The test injects its fault into `fleet`, `cluster`, `receiver` or `kafka`. `wait` lets time pass.
 * 3. `violations` stops the producer and waits until everything is committed. It then collects the evidence, checks it
 *    and adds the result to the report of the test.
 *
 * The test must have repaired every broker, topic and endpoint before step 3, or the wait ends with an error.
 */
export class Experiment implements AsyncDisposable {
  readonly random: Random;
  readonly #resources: ExperimentResources;
  readonly #startedAt = Date.now();

  /** Use `startExperiment`. */
  constructor(resources: ExperimentResources) {
    this.#resources = resources;
    this.random = new Random(resources.options.scale.seed);
  }

  get cluster(): LocalCluster {
    return this.#resources.options.cluster;
  }

  get kafka(): Kafka {
    return this.#resources.kafka;
  }

  get names(): TopicNames {
    return this.#resources.names;
  }

  get firstTier(): string {
    const [first] = this.names.tiers;
    if (first === undefined) throw new Error('There is no tier.');
    return first;
  }

  get webhookIds(): readonly string[] {
    return this.#resources.subscribers.webhooks.map(({ id }) => id);
  }

  get receiver(): Receiver {
    return this.#resources.receiver;
  }

  get fleet(): Fleet {
    return this.#resources.fleet;
  }

  /** Returns one of the instances that run. */
  anyInstance(): Instance {
    const [first, ...others] = this.fleet.running;
    if (first === undefined) throw new Error('No instance runs.');
    return this.random.pick([first, ...others]);
  }

  get load(): LoadGenerator {
    return this.#resources.load;
  }

  /** Starts instances and waits until they are ready. The first call also starts the producer. */
  async startInstances(count: number): Promise<void> {
    const started = await Promise.all(Array.from({ length: count }, () => this.fleet.start()));
    await Promise.all(started.map((instance) => instance.ready()));
    this.load.start();
  }

  /** Lets the fault, or normal operation, continue for `ms`. */
  async wait(ms: number): Promise<void> {
    await setTimeout(ms);
  }

  /** Waits until all records are processed, and returns the broken guarantees in words. */
  async violations(expectation: Expectation = {}): Promise<readonly string[]> {
    const { options, fleet } = this.#resources;
    const { task, fault, scale } = options;
    const checked = checkEvidence(await this.#evidence(), expectation);
    const result = { ...checked, violations: [...checked.violations, ...fleet.unexpectedExits] };
    const report: FaultReport = {
      fault,
      seed: scale.seed,
      scale: scale.name,
      durationMs: Date.now() - this.#startedAt,
      result,
    };
    task.meta.chaos = report;
    // The next run may pass, so the logs are printed now.
    if (result.violations.length > 0) process.stderr.write(`${fleet.lastLogLines}\n`);
    return result.violations;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.stack.disposeAsync();
  }

  async #evidence(): Promise<Evidence> {
    const { load, fleet, receiver, commits, kafka, names, subscribers } = this.#resources;
    await load.stop();
    await untilAllCommitted({ kafka, reads: readsOf(names), lastLogLines: () => fleet.lastLogLines });
    await receiver.report();
    const attemptsCounted = await fleet.attemptsByOutcome();
    await fleet.stopAll();
    await commits[Symbol.asyncDispose]();
    return {
      records: await readProducedRecords(kafka, names.completed),
      acknowledged: load.acknowledged,
      webhooksByOwner: subscribers.webhooksByOwner,
      requests: receiver.requests,
      published: await readPublishedDeliveries(kafka, names),
      results: await readResults(kafka, names.results),
      explanations: await explainAll(this.#resources.environment),
      attemptsCounted,
      commits: commits.observed,
      disruptions: fleet.disruptions,
      maxInFlight,
    };
  }
}
