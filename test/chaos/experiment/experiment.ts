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
import { castOf, configurationOf, type Cast } from './subscribers.ts';
import { CommitWatch } from '../evidence/commit-watch.ts';
import { Dice } from './seeded-random.ts';
import { environmentFor, maxInFlight } from './service-environment.ts';
import { readHandoffs, readSources } from '../evidence/topic-evidence.ts';
import { Load } from './load-generator.ts';
import { namesFor, partitions, readsOf, type Names } from './names.ts';
import type { Behaviour } from '../receiver/messages.ts';
import { startReceiver, type Receiver } from '../receiver/receiver.ts';
import type { FaultReport } from '../report/fault-report.ts';
import type { Scale } from './scale.ts';
import { Fleet } from '../service/fleet.ts';
import { untilAllCommitted } from '../evidence/until-all-committed.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { judge, type Expectation } from '../checks/check-evidence.ts';

export interface ExperimentOptions {
  /** For the report: what is done, and how often. */
  readonly fault: string;
  /** The test, whose row of the report is noted on it. */
  readonly task: { readonly meta: TaskMeta };
  readonly cluster: LocalCluster;
  readonly scale: Scale;
  /** Over what instances are told otherwise. */
  readonly environment?: Environment;
  readonly owners?: number;
  readonly recordsPerSecond?: number;
  /** Ports of the endpoints, and which webhook is behind which; all are behind one that is healthy when left out. */
  readonly doors?: readonly Behaviour[];
  readonly doorOf?: (webhookIndex: number) => number;
}

const answerAfterMs = 10;

/** Topics, endpoints, a producer and a watch on the commits; the service is started by the fault. */
export async function startExperiment(options: ExperimentOptions): Promise<Experiment> {
  await using stack = new AsyncDisposableStack();
  const { cluster, doors = ['healthy'], doorOf = () => 0, owners = 40, recordsPerSecond = 300 } = options;
  const names = namesFor(uniqueName('chaos'));
  const kafka = quietClient(cluster.brokers);
  await createTopics(kafka, [
    ...[names.completed, ...names.tiers].map((topic) => ({ topic, partitions })),
    { topic: names.deadLetters },
    { topic: names.configurations, settings: { 'cleanup.policy': 'compact' } },
  ]);
  const authority = createAuthority();
  const files = stack.use(await writeTemporaryFiles({ 'authority.pem': authority.certificate }));
  const receiver = stack.use(await startReceiver({ identity: authority.issue(), doors, answerAfterMs }));
  const cast = castOf(owners);
  await produce(
    kafka,
    names.configurations,
    cast.webhooks.map((webhook, index) => ({
      key: webhook.id,
      value: json(configurationOf(webhook, receiver.url(`/${webhook.id}`, doorOf(index)))),
    })),
  );
  const environment = environmentFor(names, cluster.brokers, files.path('authority.pem'));
  const fleet = stack.use(new Fleet({ ...environment, ...options.environment }));
  const commits = stack.use(new CommitWatch(kafka, readsOf(names)));
  const load = stack.use(
    new Load({ kafka, topic: names.completed, partitions, owners: cast.owners, perSecond: recordsPerSecond }),
  );
  return new Experiment({ options, kafka, names, cast, receiver, fleet, commits, load, stack: stack.move() });
}

interface Parts {
  readonly options: ExperimentOptions;
  readonly kafka: Kafka;
  readonly names: Names;
  readonly cast: Cast;
  readonly receiver: Receiver;
  readonly fleet: Fleet;
  readonly commits: CommitWatch;
  readonly load: Load;
  /** All of the above that has an end. */
  readonly stack: AsyncDisposableStack;
}

/** A fault under way: what it may be done to, and in the end the verdict. */
export class Experiment implements AsyncDisposable {
  readonly dice: Dice;
  readonly #parts: Parts;
  readonly #startedAt = Date.now();

  /** Use `startExperiment`. */
  constructor(parts: Parts) {
    this.#parts = parts;
    this.dice = new Dice(parts.options.scale.seed);
  }

  get cluster(): LocalCluster {
    return this.#parts.options.cluster;
  }

  get kafka(): Kafka {
    return this.#parts.kafka;
  }

  get names(): Names {
    return this.#parts.names;
  }

  get firstTier(): string {
    const [first] = this.names.tiers;
    if (first === undefined) throw new Error('There is no tier.');
    return first;
  }

  get webhookIds(): readonly string[] {
    return this.#parts.cast.webhooks.map(({ id }) => id);
  }

  get receiver(): Receiver {
    return this.#parts.receiver;
  }

  get fleet(): Fleet {
    return this.#parts.fleet;
  }

  get load(): Load {
    return this.#parts.load;
  }

  /** Starts that many instances and waits until they are ready; the first time, certificates come from then on. */
  async startInstances(count: number): Promise<void> {
    const started = await Promise.all(Array.from({ length: count }, () => this.fleet.start()));
    await Promise.all(started.map((instance) => instance.ready()));
    this.load.start();
  }

  /** The fault, or its absence, goes on for so long: that is the experiment. */
  async lasts(ms: number): Promise<void> {
    await setTimeout(ms);
  }

  /** Lets everything come to its end, judges what was seen, and tells what broke a promise. */
  async violations(expectation: Expectation = {}): Promise<readonly string[]> {
    const { options, fleet } = this.#parts;
    const { task, fault, scale } = options;
    const judged = judge(await this.#evidence(), expectation);
    const verdict = { ...judged, violations: [...judged.violations, ...fleet.misdeeds] };
    const report: FaultReport = {
      fault,
      seed: scale.seed,
      scale: scale.name,
      durationMs: Date.now() - this.#startedAt,
      verdict,
    };
    task.meta.chaos = report;
    // The next run may well keep its promises: what there is to learn is here.
    if (verdict.violations.length > 0) process.stderr.write(`${fleet.lastWords}\n`);
    return verdict.violations;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.stack.disposeAsync();
  }

  async #evidence(): Promise<Evidence> {
    const { load, fleet, receiver, commits, kafka, names, cast } = this.#parts;
    await load.stop();
    await untilAllCommitted({ kafka, reads: readsOf(names), lastWords: () => fleet.lastWords });
    await receiver.report();
    await fleet.stopAll();
    await commits[Symbol.asyncDispose]();
    return {
      records: await readSources(kafka, names.completed),
      acknowledged: load.acknowledged,
      webhooksByOwner: cast.webhooksByOwner,
      requests: receiver.requests,
      handoffs: await readHandoffs(kafka, names),
      commits: commits.seen,
      disruptions: fleet.disruptions,
      maxInFlight,
    };
  }
}
