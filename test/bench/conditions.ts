import { cpus, totalmem } from 'node:os';
import { kafkaVersion } from '../support/kafka/cluster/distribution.ts';
import type { Circumstances } from './throughput/results/section.ts';

export function readCircumstances(): Circumstances {
  const processors = cpus();
  // A cluster that was there before is of any version.
  const isExternal = (process.env['KAFKA_BROKERS'] ?? '') !== '';
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: processors[0]?.model.trim() ?? 'an unknown processor',
    cores: processors.length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    kafka: isExternal ? 'a Kafka that was there before' : `Kafka ${kafkaVersion}`,
  };
}
