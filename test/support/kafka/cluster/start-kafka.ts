import type { Properties } from './broker-properties.ts';
import { findContainerEngine, startContainer } from './container.ts';
import { MissingToolError } from './java.ts';
import type { Progress } from './progress.ts';
import { startLocalCluster } from './start-local-cluster.ts';

/** A Kafka that is up and usable. */
export interface RunningKafka extends AsyncDisposable {
  /** `host:port`, as `KAFKA_BROKERS` wants them. */
  readonly brokers: readonly string[];
}

interface KafkaOptions {
  /** Over those of `brokerProperties`; an external cluster keeps its own. */
  readonly properties?: Properties;
  /** Of the virtual machine, where Java starts the broker; a container's has those of its image. */
  readonly flags?: readonly string[];
  /** Where that broker's data go; the system's folder for temporary files when left out. */
  readonly folder?: string | undefined;
  readonly progress?: Progress;
}

/**
 * One broker, wherever it comes from: the cluster that `KAFKA_BROKERS` names, which is left as it is in the end; else a
 * container engine that answers and has the image or can fetch it; else Java. Throws a `MissingToolError` that says what
 * to install when there is none.
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

/** An engine that answers may still not get at the image. */
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
