import type { Kafka, Message, Producer } from 'kafkajs';
import type { SourceRecord } from '../../../src/certificates/record.ts';
import { headerNames } from '../../../src/kafka/records/headers.ts';
import type { Intake } from '../../../src/kafka/consumer/admission.ts';
import type { Pool } from '../../../src/deliveries/delivery.ts';
import type { IntakeLimits } from '../../../src/backpressure/intake-limits.ts';
import type { Events } from '../../../src/telemetry/events/events.ts';
import type { RecordSubject, History, Place } from '../history.ts';

/** What a process tells; most of it is only for the story that a failure prints. */
export function recordEvents(instance: string, history: History): Events {
  const tell =
    (event: string) =>
    (...details: readonly unknown[]): void =>
      history.add({ kind: 'emitted', instance, event, detail: describe(details) });
  return {
    recordConsumed: (record) => history.add({ kind: 'consumed', instance, ...placeOf(record) }),
    recordSettled: (record, result) => history.add({ kind: 'settled', instance, ...placeOf(record), result }),
    recordRejected: () => undefined,
    recordFailed: (_record, error) => tell('record failed')(error),
    certificateDeviated: () => undefined,
    deliveryAttempted: () => undefined,
    deliveryDeferred: ({ delivery: { deliveryId, attempt }, reason }) =>
      history.add({ kind: 'deferred', instance, deliveryId, attempt: attempt - 1, reason }),
    deliveryUnsubscribed: ({ deliveryId }) => tell('unsubscribed')(deliveryId),
    deliveryDeadLettered: ({ deliveryId }, reason) => tell('deadLettered')(deliveryId, reason),
    consumerJoined: ({ groupId, assignment }) => tell('joined')(groupId, assignment),
    consumerCrashed: ({ groupId, error, restarting }) => tell('crashed')(groupId, error, restarting),
    kafkaUnreachable: ({ doing, error }) => tell('kafka unreachable')(doing, error),
    commitFailed: ({ groupId, error }) => tell('commit failed')(groupId, error),
    offsetReset: tell('offset reset'),
    credentialsReloaded: tell('credentials reloaded'),
    credentialsReloadFailed: tell('credentials reload failed'),
    partitionUnreadable: tell('partition unreadable'),
    topicGone: tell('topic gone'),
    topicRecreated: tell('topic remade'),
    topicsMissing: tell('topics missing'),
    retryScheduled: () => undefined,
    deadLetterWritten: () => undefined,
    handoffFailed: ({ topic, error }) => tell('retryPublisher failed')(topic, error),
    recordsSkipped: tell('records skipped'),
    connectionOpened: () => undefined,
    egressDelegated: () => undefined,
    circuitChanged: tell('circuit'),
    configurationRefused: ({ id }) => tell('configuration refused')(id),
    configurationsReloaded: () => undefined,
    keysReloaded: () => undefined,
    configurationReloadFailed: () => undefined,
    schemaRegistryFailed: tell('schema registry failed'),
    schemaUnknown: tell('schema unknown'),
  };
}

/** Notes what expectDeliveries of each record in the end, and tells of a record that nothing expectDeliveries of. */
export function recordIntake(intake: Intake, instance: string, history: History): Intake {
  return {
    ...intake,
    handle: async (record, assignment) => {
      const handled = await intake.handle(record, assignment);
      if (handled === 'abandoned') history.add({ kind: 'abandoned', instance, ...placeOf(record) });
      return handled;
    },
  };
}

/** Notes how much is held, each time that it grows. */
export function recordLimits(
  intake: Intake,
  { limits, instance, pool, history }: { limits: IntakeLimits; instance: string; pool: Pool; history: History },
): Intake {
  const what = `records of ${pool}`;
  return {
    ...intake,
    recordConsumed: (record) => {
      intake.recordConsumed(record);
      history.add({ kind: 'held', instance, what, count: limits.records, limit: limits.maxRecords });
    },
  };
}

/** Notes each record that the brokers acknowledged and the process knows of. */
export function recordProducers(kafka: Kafka, instance: string, history: History): Kafka {
  const recorded: Pick<Kafka, 'admin' | 'consumer' | 'producer'> = {
    admin: () => kafka.admin(),
    consumer: (config) => kafka.consumer(config),
    producer: (config) => {
      const producer = kafka.producer(config);
      const send: Producer['send'] = async (batch) => {
        const answers = await producer.send(batch);
        for (const message of batch.messages) {
          history.add({
            kind: 'acknowledged',
            instance,
            topic: batch.topic,
            subject: subjectOf(message.headers ?? {}),
          });
        }
        return answers;
      };
      return { ...producer, send };
    },
  };
  return recorded as Kafka;
}

/** What a retry or dead letter says it is subject. */
export function subjectOf(headers: NonNullable<Message['headers']>): RecordSubject {
  const text = (name: string): string | undefined => headers[name]?.toString();
  const source = [headerNames.sourceTopic, headerNames.sourcePartition, headerNames.sourceOffset].map(text).join('/');
  return { deliveryId: text(headerNames.deliveryId), source };
}

function placeOf({ topic, partition, offset }: SourceRecord): Place {
  return { topic, partition, offset };
}

function describe(details: readonly unknown[]): string {
  return details
    .map((detail) => {
      if (detail instanceof Error) return `${detail.name}: ${detail.message}`;
      return typeof detail === 'string' ? detail : JSON.stringify(detail);
    })
    .join(' ');
}
