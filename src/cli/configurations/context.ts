import type { Kafka } from '../../kafka/client/kafka.ts';
import type { FramedValues } from '../../certificates/framing.ts';
import { kafkaErrorType } from '../../kafka/client/faults.ts';
import type { ConfigurationRules } from '../../webhooks/configuration-schema.ts';
import type { KeySet } from '../../webhooks/sealing/key-set.ts';
import { kafkaFailure } from '../kafka-failure.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface ConfigurationsContext extends Omit<Terminal, 'bar'> {
  readonly rules: ConfigurationRules;
  /** Undefined without a keys file. */
  readonly keys: KeySet | undefined;
  readonly requireSealed: boolean;
}

export interface ConfigurationsTopic {
  readonly topic: string;
  /** A client with the purpose `admin`. */
  readonly admin: Kafka;
  /** A client with the purpose `writing`. */
  readonly writing: Kafka;
  readonly framed: FramedValues;
}

/** Runs an operation on the topic. If Kafka fails, prints the error and returns undefined. */
export async function tryKafka<Result>(
  { topic }: ConfigurationsTopic,
  { err }: ConfigurationsContext,
  operation: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await operation();
  } catch (error) {
    const isMissing = kafkaErrorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION';
    err(`error: ${isMissing ? `there is no topic ${topic}: topics --create makes it` : kafkaFailure(error)}`);
    return undefined;
  }
}
