import { aCertificateDocument, aConfiguration, json } from '../../support/builders.ts';
import { framed } from '../../support/registry/framed.ts';
import { pools, type Pool } from '../../../src/deliveries/delivery.ts';
import { tierTopic, type Settings } from '../../../src/settings.ts';
import { MemoryBroker, type TopicPartition } from '../broker/memory-broker.ts';
import { BrokerConnection, type Network } from '../broker/broker-connection.ts';
import { History, type RequestFacts } from '../history.ts';
import {
  topicOf,
  topics,
  type Action,
  type Behaviour,
  type Configuration,
  type Damage,
  type Scenario,
} from '../scenario/scenario.ts';
import { Random } from '../random.ts';
import { ProcessClock } from '../time/process-clock.ts';
import { SimulatedClock } from '../time/simulated-clock.ts';
import { ConfigurationsTopic } from './configurations-topic.ts';
import { Endpoints, urlOf } from './endpoints.ts';
import { Instance } from './instance.ts';
import { FaultyNetwork } from './faulty-network.ts';
import type { Mutation } from '../mutants/mutation.ts';
import { settingsOf } from './settings.ts';

/** Less than the wall clocks of processes are set forward by, so that the broker refuses their timestamps. */
const timestampAfterMaxMs = 120_000;

/** Decides what is otherwise left to chance: the effect of the network on each request, and the reactions of endpoints. */
export interface Chooser {
  network(instance: number, environment: SimulatedEnvironment): Network;
  reaction(request: RequestFacts, environment: SimulatedEnvironment): Behaviour;
}

/**
 * Everything that exists in one run: the broker, the platform that writes to it, the endpoints, and the processes of
 * the service.
 *
 * Owns the clock, the history and all random generators, which start from the seed of the scenario. `runScenario`
 * moves the clock and calls `perform` at the time of each action.
 */
export class SimulatedEnvironment {
  readonly clock = new SimulatedClock();
  readonly broker: MemoryBroker;
  readonly history: History;
  readonly settings: Settings;
  readonly startedAt = this.clock.now();
  readonly #scenario: Scenario;
  readonly #random: Random;
  readonly #endpoints: Endpoints;
  readonly #configurations: ConfigurationsTopic;
  readonly #mutation: Mutation;
  readonly #chooser: Chooser | undefined;
  readonly #instances: Instance[] = [];
  /** The errors of starts and stops. In a killed process neither ever ends. */
  readonly failures: unknown[] = [];

  constructor(scenario: Scenario, mutation: Mutation, chooser?: Chooser) {
    const { clock, startedAt } = this;
    this.#scenario = scenario;
    this.#mutation = mutation;
    this.#chooser = chooser;
    this.#random = new Random(scenario.seed + 1);
    this.history = new History(() => clock.now() - startedAt);
    this.settings = settingsOf(scenario.settings);
    this.broker = new MemoryBroker(clock, {
      listener: {
        appended: (record) => this.history.add({ kind: 'appended', record }),
        committed: (groupId, offsets) => {
          for (const { topic, partition, offset } of offsets) {
            this.history.add({ kind: 'committed', groupId, topic, partition, offset });
          }
        },
      },
      timestampAfterMaxMs,
    });
    this.#endpoints = new Endpoints({
      clock,
      startedAt,
      behaviours: scenario.behaviours,
      random: this.#random.fork(),
      history: this.history,
      timeoutMs: this.settings.delivery.timeoutMs,
      ...(chooser === undefined ? {} : { reaction: (request) => chooser.reaction(request, this) }),
    });
    this.#createTopics();
    this.#configurations = new ConfigurationsTopic({
      broker: this.broker,
      history: this.history,
      now: () => clock.now(),
      groupId: this.settings.kafka.groupId,
    });
  }

  get instances(): readonly Instance[] {
    return this.#instances;
  }

  get running(): readonly Instance[] {
    return this.#instances.filter(({ isRunning }) => isRunning);
  }

  perform(action: Action): void {
    switch (action.kind) {
      case 'certificate':
        this.#write(topicOf(action.eventType), action.partition, action.ownerId, certificateValue(action));
        return;
      case 'configuration':
        this.#configurations.write(action.webhookId, configurationValue(action.webhookId, action.configuration));
        return;
      case 'grow_configurations':
        this.#configurations.grow();
        return;
      case 'disturb_configurations':
        this.#configurations.disturb(action.partition, action.how);
        return;
      case 'delete_configurations':
        this.#configurations.delete();
        return;
      case 'create_configurations':
        this.#configurations.create(action.partitions, action.dropped);
        return;
      case 'refill_configurations':
        this.#configurations.refill(action.webhookId);
        return;
      case 'accept_configurations':
        this.#configurations.accept();
        return;
      case 'open_transaction':
      case 'abort_transaction':
        this.broker.disturb({ topic: topicOf(action.eventType), partition: action.partition }, (log) =>
          action.kind === 'open_transaction' ? log.openTransaction() : log.abortTransaction(),
        );
        return;
      case 'invalid_retry':
        this.#write(
          this.#tierTopics()[action.tier] ?? '',
          action.partition,
          'invalid_retry',
          Buffer.from('invalid_retry'),
        );
        return;
      case 'start':
        // More than three processes at once find no more bugs.
        if (this.running.length < 3) this.start();
        return;
      case 'stop':
        this.#recordFailure(this.#pick(action.which)?.stop());
        return;
      case 'kill':
        this.#pick(action.which)?.kill();
        return;
      case 'stall':
        this.#pick(action.which)?.stall(action.ms);
        return;
      case 'set_clock':
        this.#pick(action.which)?.setClock(action.ms);
        return;
      case 'crash':
        this.#pick(action.which)?.crash(action.group, action.restart);
    }
  }

  start(): void {
    const { clock, startedAt, broker, settings, history } = this;
    const number = this.#instances.length + 1;
    const random = this.#random.fork();
    const network =
      this.#chooser?.network(number, this) ??
      new FaultyNetwork({
        clock,
        startedAt,
        networkFaults: this.#scenario.networkFaults,
        random: random.fork(),
        instance: number,
      });
    const instance = new Instance({
      name: `instance-${number}`,
      settings,
      broker,
      connection: new BrokerConnection(clock, new ProcessClock(clock), network),
      endpoints: this.#endpoints,
      history,
      random,
      mutation: this.#mutation,
    });
    this.#instances.push(instance);
    this.#recordFailure(instance.start());
  }

  stopAll(): void {
    for (const instance of this.running) this.#recordFailure(instance.stop());
  }

  /** Returns true if every record is committed, none is in flight, and no process is shutting down. */
  isIdle(): boolean {
    const nothingInFlight = this.#instances.every(
      ({ isRunning, hasExited, held }) => hasExited || (isRunning && held === 0),
    );
    return nothingInFlight && this.unread().length === 0;
  }

  /** Returns the partitions with records that their group has not committed, and the lag of each. */
  unread(): readonly string[] {
    return pools.flatMap((pool) =>
      this.#unread(pool).map(({ topic, partition, lag }) => `${lag} of ${topic}/${partition}`),
    );
  }

  #unread(pool: Pool): readonly (TopicPartition & { readonly lag: number })[] {
    const { groupId } = this.settings.kafka;
    const group = this.broker.group(pool === 'first' ? groupId : `${groupId}.retry`);
    const read = pool === 'first' ? [topics.completed, topics.expired] : this.#tierTopics();
    return read
      .flatMap((topic) => this.broker.partitions(topic))
      .map(({ topic, partition, start, end }) => {
        const committed = group.committed(topic, partition)?.offset ?? start;
        return { topic, partition, lag: end - committed };
      })
      .filter(({ lag }) => lag !== 0);
  }

  #pick(which: number): Instance | undefined {
    const { running } = this;
    return running[which % Math.max(1, running.length)];
  }

  #write(topic: string, partition: number, key: string, value: Buffer | null): void {
    this.broker.append({ topic, partition }, [{ key: Buffer.from(key), value, headers: [] }]);
  }

  #tierTopics(): readonly string[] {
    return this.#scenario.settings.tiersMs.map((delayMs) => tierTopic(topics.tierPrefix, delayMs));
  }

  #createTopics(): void {
    const { partitions, tierPartitions, maxRecordBytes, hasResults } = this.#scenario.settings;
    for (const topic of [topics.completed, topics.expired]) this.broker.createTopic(topic, partitions);
    for (const topic of [...this.#tierTopics(), topics.deadLetters]) {
      this.broker.createTopic(topic, tierPartitions, maxRecordBytes);
    }
    if (hasResults) this.broker.createTopic(topics.results, tierPartitions);
  }

  #recordFailure(promise: Promise<void> | undefined): void {
    promise?.catch((error: unknown) => this.failures.push(error));
  }
}

function certificateValue({
  certificateId,
  ownerId,
  damage,
}: {
  readonly certificateId: string;
  readonly ownerId: string;
  readonly damage: Damage;
}): Buffer | null {
  switch (damage) {
    case 'none':
      return json(aCertificateDocument({ _id: certificateId, _ownerId: ownerId }));
    case 'huge':
      return json(aCertificateDocument({ _id: certificateId, _ownerId: ownerId, padding: 'x'.repeat(4000) }));
    case 'no_owner':
      return json(aCertificateDocument({ _id: certificateId, _ownerId: undefined }));
    case 'not_json':
      return Buffer.from('no JSON');
    case 'null_value':
      return null;
  }
}

function configurationValue(webhookId: string, configuration: Configuration | undefined): Buffer | null {
  if (configuration === undefined) return null;
  const { ownerId, isValid, isFramed, ...rest } = configuration;
  const url = isValid ? urlOf(webhookId, rest.version) : 'http://in-clear.example.com';
  const document = json(aConfiguration({ _id: webhookId, _ownerId: ownerId, url, ...rest }));
  return isFramed === true ? framed(Number(webhookId.slice(-1)) * 100 + rest.version, document) : document;
}
