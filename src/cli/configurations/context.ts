import type { Kafka } from '../../kafka/client/kafka.ts';
import type { FramedValues } from '../../certificates/framing.ts';
import { writeKeyed, type KeyedRecord } from '../../kafka/producer/keyed-writer.ts';
import type { ConfigurationRules } from '../../webhooks/configuration-schema.ts';
import type { KeySet } from '../../webhooks/sealing/key-set.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface ConfigurationsContext extends Omit<Terminal, 'bar'> {
  readonly rules: ConfigurationRules;
  /** Undefined without a keys file. */
  readonly keys: KeySet | undefined;
  readonly requireSealed: boolean;
}

export interface ConfigurationsTopic {
  readonly topic: string;
  readonly admin: Kafka;
  readonly writing: Kafka;
  readonly framed: FramedValues;
}

/** Writes records, and calls `written` once for each id as soon as Kafka has it. */
export async function writeRecords(
  { topic, writing: kafka }: ConfigurationsTopic,
  records: readonly KeyedRecord[],
  written: (id: string) => void,
): Promise<void> {
  const seen = new Set<string>();
  await writeKeyed({ kafka, topic }, records, (ids) => {
    for (const id of ids) if (!seen.has(id)) written(id);
    for (const id of ids) seen.add(id);
  });
}
