import { settledHeapBytes } from '../../support/resources/memory.ts';
import { lingerMs } from '../../../src/kafka/producer/batch.ts';
import { BrokerConnection, type Network } from '../broker/broker-connection.ts';
import { MemoryBroker } from '../broker/memory-broker.ts';
import { createMemoryKafka } from '../broker/memory-kafka.ts';
import { startService } from '../environment/start-service.ts';
import { noMutation, type Mutation } from '../mutants/mutation.ts';
import { Random } from '../random.ts';
import { ProcessClock } from '../time/process-clock.ts';
import { SimulatedClock } from '../time/simulated-clock.ts';
import { createEndpoints } from './endpoints.ts';
import type { Figures } from './figures.ts';
import { Measurements } from './measurements.ts';
import { createObservers } from './observe.ts';
import { Platform } from './platform.ts';
import { Processor } from './processor.ts';
import { type Situation, partitions } from './situation.ts';
import { configuredTiers } from '../../../src/service/configured-topics.ts';
import type { Settings } from '../../../src/settings.ts';
import { defaultSettings } from '../../support/service/default-settings.ts';
import { idHeader } from '../environment/endpoints.ts';
import { topics } from '../scenario/scenario.ts';

/** Enough to read all configurations and to join both groups. */
const startMs = 10_000;
/** `maxBytesPerPartition` of the consumers allows about this many certificates in one fetch. */
const fetching = { recordsPerPartition: 90, idleFactor: 1 };

/**
 * Runs one instance of the service with its default settings through a situation, in virtual time. Kafka has no faults.
 * The same situation has the same figures on every machine.
 */
export async function runSituation(situation: Situation, mutation: Mutation = noMutation): Promise<Figures> {
  const heapBeforeBytes = situation.heapAtMs === undefined ? 0 : await settledHeapBytes();
  const run = new IsolationRun(situation);
  await run.start(mutation);
  const maxHeapBytes = await run.load();
  return run.end(Math.max(0, maxHeapBytes - heapBeforeBytes));
}

class IsolationRun {
  readonly #situation: Situation;
  readonly #clock = new SimulatedClock();
  readonly #broker = new MemoryBroker(this.#clock);
  readonly #process = new ProcessClock(this.#clock);
  readonly #processor = new Processor(this.#process);
  readonly #measurements: Measurements;
  readonly #platform: Platform;
  readonly #random = new Random(1);

  constructor(situation: Situation) {
    const { subscriptions } = situation;
    const [clock, broker, process] = [this.#clock, this.#broker, this.#process];
    this.#situation = situation;
    const appendedAt = (deliveryId: string): number => this.#platform.appendedAt(deliveryId);
    this.#measurements = new Measurements({ clock, process, subscriptions, appendedAt });
    this.#platform = new Platform({ clock, broker, subscriptions, measurements: this.#measurements });
  }

  /** Starts the service and waits until it reads. */
  async start(mutation: Mutation): Promise<void> {
    const [clock, broker, process] = [this.#clock, this.#broker, this.#process];
    const [processor, measurements, random] = [this.#processor, this.#measurements, this.#random];
    const settings = isolationSettings();
    createTopics(broker, settings);
    this.#platform.configure();
    const connection = new BrokerConnection(clock, process, createNetwork(random));
    const { responseOf } = this.#situation;
    const { timeoutMs } = settings.delivery;
    const started = startService({
      name: 'isolated',
      settings,
      broker,
      connection,
      http: createEndpoints({ clock, process, processor, responseOf, measurements, timeoutMs }),
      observers: createObservers(processor, measurements),
      random,
      mutation,
      lingerMs: lingerMs(Math.min(...settings.retry.delaysMs)),
      kafka: createMemoryKafka(broker, connection, fetching).kafka,
      signal: new AbortController().signal,
      stack: new AsyncDisposableStack(),
    });
    await clock.advance(startMs);
    await started;
    if (measurements.consumersJoined < 2) throw new Error('the service does not read yet');
  }

  /** Writes the certificates at their times, until the end of the run. Returns the highest measured heap. */
  async load(): Promise<number> {
    const { writes, durationMs, heapAtMs = [] } = this.#situation;
    const startedAt = this.#clock.now();
    this.#measurements.start();
    for (const one of writes) this.#platform.schedule(one);
    let maxHeapBytes = 0;
    for (const atMs of heapAtMs) {
      await this.#clock.advance(startedAt + atMs - this.#clock.now());
      maxHeapBytes = Math.max(maxHeapBytes, await settledHeapBytes());
    }
    await this.#clock.advance(startedAt + durationMs - this.#clock.now());
    return maxHeapBytes;
  }

  end(heapGrowthBytes: number): Figures {
    this.#process.kill();
    const [error] = this.#measurements.errors;
    if (error !== undefined) throw new Error('the service reported an error', { cause: error });
    return this.#measurements.figures(this.#processor, heapGrowthBytes);
  }
}

/**
 * Creates a network without faults, whose latency varies around 1 ms. With equal latencies, fetches and the requests of
 * the directory would be in step. How they are would differ between runs, and hide what the trouble costs.
 */
function createNetwork(random: Random): Network {
  return { effectOn: () => ({ kind: 'served' }), latencyMs: () => 0.5 + random.next() };
}

/** Parses the default settings, with the topics of the simulation and a header that shows the id of a delivery. */
function isolationSettings(): Settings {
  return defaultSettings({
    KAFKA_BROKERS: 'memory:9092',
    CERTIFICATE_TOPICS: `${topics.completed}=certificate_completed`,
    WEBHOOK_CONFIGURATIONS: `kafka:${topics.configurations}`,
    RETRY_TOPIC_PREFIX: topics.tierPrefix,
    DEAD_LETTER_TOPIC: topics.deadLetters,
    DELIVERY_ID_HEADER: idHeader,
  });
}

function createTopics(broker: MemoryBroker, settings: Settings): void {
  broker.createTopic(topics.configurations, 1);
  const others = [topics.completed, ...configuredTiers(settings).map(({ topic }) => topic), topics.deadLetters];
  for (const topic of others) broker.createTopic(topic, partitions);
}

/** Runs each situation without trouble once. Several scenarios share one. */
export class Baselines {
  readonly #figures = new Map<Situation, Promise<Figures>>();

  of(situation: Situation): Promise<Figures> {
    const existing = this.#figures.get(situation);
    if (existing !== undefined) return existing;
    const figures = runSituation(situation);
    this.#figures.set(situation, figures);
    return figures;
  }
}
