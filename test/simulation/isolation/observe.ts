import type { Kafka, Producer, ProducerBatch } from '../../../src/kafka/client/kafka.ts';
import type { FlowControl } from '../../../src/flow/flow-control.ts';
import type { Observers } from '../environment/observers.ts';
import { subjectOf } from '../environment/recording.ts';
import { topics } from '../scenario/scenario.ts';
import type { Measurements } from './measurements.ts';
import type { Processor } from './processor.ts';

/** Returns the observers of the process: they spend processor time for its records and measure what it does. */
export function createObservers(processor: Processor, measurements: Measurements): Observers {
  const flows: FlowControl[] = [];
  const beforeWrite = (batch: ProducerBatch): void => {
    processor.spend('writtenRecord', batch.messages.length);
    measurements.unsettled(flows.reduce((sum, { held }) => sum + held.deliveries, 0));
    if (batch.topic === topics.deadLetters) return;
    for (const { headers } of batch.messages) measurements.writtenToTier(subjectOf(headers).deliveryId ?? '');
  };
  return {
    events: measurements.events(() => processor.spend('consumedRecord')),
    kafka: (kafka) => observeWrites(kafka, beforeWrite),
    intake: (intake) => intake,
    flow: (intake, { flow }) => {
      flows.push(flow);
      return intake;
    },
    failed: (error) => {
      throw error;
    },
  };
}

function observeWrites(kafka: Kafka, beforeWrite: (batch: ProducerBatch) => void): Kafka {
  return {
    ...kafka,
    producer: (config) => {
      const producer = kafka.producer(config);
      const send: Producer['send'] = (batch) => {
        beforeWrite(batch);
        return producer.send(batch);
      };
      return { ...producer, send };
    },
  };
}
