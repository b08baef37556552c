import { cpus, totalmem } from 'node:os';
import { kafkaVersion } from '../support/kafka/cluster/distribution.ts';

/** The date, machine and versions of a run. */
export interface Conditions {
  /** ISO 8601, without a time. */
  readonly date: string;
  /** Model name of the processor. */
  readonly processor: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly node: string;
  /** Name and version. */
  readonly kafka: string;
}

export function readConditions(): Conditions {
  // The version of a cluster that was there before is unknown.
  const isExternal = (process.env['KAFKA_BROKERS'] ?? '') !== '';
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: cpus()[0]?.model.trim() ?? 'an unknown processor',
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    kafka: isExternal ? 'an external Kafka cluster' : `Kafka ${kafkaVersion}`,
  };
}
