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
  readonly progress?: Progress;
}

/**
 * One broker, wherever it comes from: the cluster that `KAFKA_BROKERS` names, which is left as it is in the end; else
 * Java; else a container engine that answers. Throws a `MissingToolError` that says what to install when there is none.
 */
export async function startKafka({
  properties = {},
  progress = () => undefined,
}: KafkaOptions = {}): Promise<RunningKafka> {
  const external = process.env['KAFKA_BROKERS'] ?? '';
  if (external !== '') return { brokers: external.split(','), [Symbol.asyncDispose]: () => Promise.resolve() };
  try {
    return await startLocalCluster({ properties, progress });
  } catch (error) {
    if (!(error instanceof MissingToolError)) throw error;
    const engine = await findContainerEngine();
    if (engine === undefined) throw error;
    return startContainer(engine, { properties, progress });
  }
}
