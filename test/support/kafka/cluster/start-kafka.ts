import type { Properties } from './broker-properties.ts';
import { findContainerEngine, startContainer } from './container.ts';
import { MissingToolError } from './java.ts';
import type { Lack } from '../../programs/missing-programs.ts';
import { startMemoryKafka } from '../memory/start-memory-kafka.ts';
import { lacksOfKafka } from './kafka-lacks.ts';
import type { Progress } from './progress.ts';
import { startLocalCluster } from './start-local-cluster.ts';

/** A running Kafka cluster. */
export interface RunningKafka extends AsyncDisposable {
  /** Addresses `host:port`, as in `KAFKA_BROKERS`. */
  readonly brokers: readonly string[];
  /** The missing programs for which the memory broker stands in. None with a real Kafka. */
  readonly lacks?: readonly Lack[];
}

interface KafkaOptions {
  /** Properties that override those of `brokerProperties`. An external cluster keeps its own. */
  readonly properties?: Properties;
  /** Flags of the virtual machine. A container uses those of its image. */
  readonly flags?: readonly string[];
  /** The parent of the data folder; the system's temporary folder when left out. */
  readonly folder?: string | undefined;
  readonly progress?: Progress;
  /** True if the memory broker may stand in for Kafka. With `CI=true`, or a version that is asked for, it never does. */
  readonly orMemory?: boolean;
}

/**
 * Uses the cluster in `KAFKA_BROKERS`, which keeps running afterwards. Otherwise starts one broker in a container, if an
 * engine answers and has or can fetch the image. Otherwise starts it with Java. When that is
 * missing too, starts the memory broker if it may stand in, and otherwise throws a `MissingToolError`.
 */
export async function startKafka(options: KafkaOptions = {}): Promise<RunningKafka> {
  const external = process.env['KAFKA_BROKERS'] ?? '';
  if (external !== '') return { brokers: external.split(','), [Symbol.asyncDispose]: () => Promise.resolve() };
  const lacks = options.orMemory === true ? await lacksOfKafka() : [];
  if (lacks.length > 0) return Object.assign(await startMemoryKafka(), { lacks });
  const engine = await findContainerEngine();
  if (engine === undefined) return startLocalCluster(options);
  const { properties = {}, progress = () => undefined } = options;
  try {
    return await startContainer(engine, { properties, progress });
  } catch (cause) {
    return startWithoutContainer(options, cause);
  }
}

/** Starts Kafka with Java after a container could not be started. */
async function startWithoutContainer(options: KafkaOptions, cause: unknown): Promise<RunningKafka> {
  try {
    return await startLocalCluster(options);
  } catch (error) {
    if (!(error instanceof MissingToolError)) throw error;
    throw new AggregateError([cause, error], 'Kafka can be started neither by the container engine nor by Java', {
      cause: error,
    });
  }
}
