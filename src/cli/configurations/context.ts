import type { FramedValues } from '../../certificates/framing.ts';
import type { Kafka } from '../../kafka/client/kafka-client.ts';
import { kafkaErrorType } from '../../kafka/kafkajs/error-type.ts';
import type { KeySet } from '../../webhooks/sealing/key-set.ts';
import type { PortPolicy } from '../../webhooks/url-rules.ts';
import { kafkaFailure } from '../kafka-failure.ts';

/** What every verb of `configurations` works with. */
export interface ConfigurationsContext {
  readonly isAllowedPort: PortPolicy;
  /** Undefined: there is no file of keys. */
  readonly keys: KeySet | undefined;
  readonly requireSealed: boolean;
  readonly signal: AbortSignal;
  /** Each takes one line, without its end. */
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** The configurations topic and how to get there. */
export interface ConfigurationsTopic {
  readonly topic: string;
  /** A client for admin, and one for writing. */
  readonly admin: Kafka;
  readonly writing: Kafka;
  readonly framed: FramedValues;
}

export type ExitCode = 0 | 1 | 2;

/** Undefined when Kafka can't be reached or refuses, which is told. */
export async function tryKafka<Result>(
  { topic }: ConfigurationsTopic,
  { err }: ConfigurationsContext,
  ask: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await ask();
  } catch (error) {
    const isMissing = kafkaErrorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION';
    err(`error: ${isMissing ? `there is no topic ${topic}: topics --create makes it` : kafkaFailure(error)}`);
    return undefined;
  }
}
