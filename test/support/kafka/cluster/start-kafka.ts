import type { Properties } from './broker-properties.ts';
import { findContainerEngine, startContainer } from './container.ts';
import { MissingToolError } from './java.ts';
import type { Progress } from './progress.ts';
import { startLocalCluster } from './start-local-cluster.ts';

/** A running Kafka cluster. */
export interface RunningKafka extends AsyncDisposable {
  /** Addresses `host:port`, as in `KAFKA_BROKERS`. */
  readonly brokers: readonly string[];
}

interface KafkaOptions {
  /** Properties that override those of `brokerProperties`. An external cluster keeps its own. */
  readonly properties?: Properties;
  /** Flags of the virtual machine. A container uses those of its image. */
  readonly flags?: readonly string[];
  /** The parent of the data folder; the system's temporary folder when left out. */
  readonly folder?: string | undefined;
  readonly progress?: Progress;
}

/**
 * Uses the cluster in `KAFKA_BROKERS`, which keeps running afterwards. Otherwise starts one broker in a container, if an
 * engine answers and has or can fetch the image. Otherwise starts it with Java. Throws a `MissingToolError` when it is
 * missing too.
 */
export async function startKafka({
  properties = {},
  flags = [],
  folder,
  progress = () => undefined,
}: KafkaOptions = {}): Promise<RunningKafka> {
  const external = process.env['KAFKA_BROKERS'] ?? '';
  if (external !== '') return { brokers: external.split(','), [Symbol.asyncDispose]: () => Promise.resolve() };
  const engine = await findContainerEngine();
  if (engine === undefined) return startLocalCluster({ properties, flags, folder, progress });
  try {
    return await startContainer(engine, { properties, progress });
  } catch (cause) {
    return startWithoutContainer({ properties, flags, folder, progress }, cause);
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
