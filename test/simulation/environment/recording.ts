import type { Kafka, Message, Producer } from '../../../src/kafka/client/kafka.ts';
import type { SourceRecord } from '../../../src/certificates/record.ts';
import { headerNames } from '../../../src/kafka/records/headers.ts';
import type { Intake } from '../../../src/kafka/consumer/admission.ts';
import type { Delivery, Pool } from '../../../src/deliveries/delivery.ts';
import type { FlowControl } from '../../../src/flow/flow-control.ts';
import type { Handled } from '../../../src/pipeline/ports.ts';
import type { Events } from '../../../src/telemetry/events/events.ts';
import type { RecordSubject, History, RecordPosition } from '../history.ts';
import type { Observers } from './observers.ts';
import { replaceMembers } from './replace-members.ts';

/** Returns the observers of one process that add all that it does to the history. */
export function recordHistory(instance: string, history: History): Observers {
  return {
    events: recordEvents(instance, history),
    kafka: (kafka) => recordProducers(kafka, instance, history),
    intake: (intake) => recordIntake(intake, instance, history),
    flow: (intake, counted) => recordHeld(intake, { ...counted, instance, history }),
    failed: (error) => history.add({ kind: 'instance', instance, change: `failed: ${error.message}` }),
  };
}

/** Returns the event sink of one process: it adds events to the history. Only failure reports use `emitted` entries. */
export function recordEvents(instance: string, history: Pick<History, 'add'>): Events {
  const emit =
    (event: string) =>
    (...details: readonly unknown[]): void =>
      history.add({ kind: 'emitted', instance, event, detail: describe(details) });
  const report = (type: string, { deliveryId, attempt }: Delivery, what: string | undefined): void =>
    history.add({ kind: 'reported', instance, result: { type, deliveryId, attempt, what } });
  return {
    recordConsumed: (record) => history.add({ kind: 'consumed', instance, ...positionOf(record) }),
    recordSettled: (record, result) => history.add({ kind: 'settled', instance, ...positionOf(record), result }),
    recordRejected: () => undefined,
    recordFailed: (_record, error) => emit('record failed')(error),
    certificateDeviated: () => undefined,
    deliveryAttempted: ({ delivery, outcome }) => report('delivery.attempted', delivery, outcome.kind),
    deliveryDeferred: ({ delivery, reason }) => {
      const { deliveryId, attempt } = delivery;
      history.add({ kind: 'deferred', instance, deliveryId, attempt: attempt - 1, reason });
      report('delivery.deferred', delivery, reason);
    },
    deliveryUnsubscribed: (delivery) => report('delivery.unsubscribed', delivery, undefined),
    deliveryDeadLettered: (delivery, reason) => report('delivery.dead_lettered', delivery, reason),
    consumerJoined: ({ groupId, assignment }) => emit('joined')(groupId, assignment),
    consumerCrashed: ({ groupId, error, restarting }) => emit('crashed')(groupId, error, restarting),
    kafkaUnreachable: ({ doing, error }) => emit('kafka unreachable')(doing, error),
    commitFailed: ({ groupId, error }) => emit('commit failed')(groupId, error),
    offsetReset: emit('offset reset'),
    commitMissing: emit('commit missing'),
    credentialsReloaded: emit('credentials reloaded'),
    credentialsReloadFailed: emit('credentials reload failed'),
    tokenFetched: emit('token fetched'),
    tokenFailed: emit('token failed'),
    partitionUnreadable: emit('partition unreadable'),
    topicDenied: emit('topic denied'),
    topicGone: emit('topic gone'),
    topicRecreated: emit('topic recreated'),
    topicsMissing: emit('topics missing'),
    configurationsHeld: emit('configurations held'),
    configurationsReplaced: emit('configurations replaced'),
    configurationsDuplicated: emit('configurations duplicated'),
    retryScheduled: () => undefined,
    deadLetterWritten: () => undefined,
    handoffFailed: ({ topic, error }) => emit('publish failed')(topic, error),
    recordsSkipped: emit('records skipped'),
    connectionOpened: () => undefined,
    addressesDropped: () => undefined,
    adminFailed: () => undefined,
    adminConnectionClosed: () => undefined,
    connectionCut: () => undefined,
    handshakeUnanswered: () => undefined,
    egressDelegated: () => undefined,
    circuitChanged: emit('circuit'),
    certificateExpiring: () => undefined,
    configurationRefused: ({ id }) => emit('configuration refused')(id),
    configurationsReloaded: () => undefined,
    keysReloaded: () => undefined,
    configurationReloadFailed: () => undefined,
    schemaRegistryFailed: emit('schema registry failed'),
    schemaUnknown: emit('schema unknown'),
  };
}

/** Adds each abandoned record to the history. */
function recordIntake(intake: Intake, instance: string, history: History): Intake {
  return {
    ...intake,
    handle: (record, context) => {
      const end = (handled: Handled): void => {
        if (handled === 'abandoned') history.add({ kind: 'abandoned', instance, ...positionOf(record) });
        context.end(handled);
      };
      intake.handle(record, replaceMembers(context, { end }));
    },
  };
}

interface HeldOptions {
  readonly flow: FlowControl;
  readonly maxRecords: number;
  readonly instance: string;
  readonly pool: Pool;
  readonly history: History;
}

/** Adds the number of records in flight to the history each time that it grows. */
function recordHeld(intake: Intake, { flow, maxRecords, instance, pool, history }: HeldOptions): Intake {
  return {
    ...intake,
    recordConsumed: (record) => {
      intake.recordConsumed(record);
      history.add({ kind: 'held', instance, pool, count: flow.held.records, limit: maxRecords });
    },
  };
}

/** Adds each acknowledgement that the process received to the history. */
function recordProducers(kafka: Kafka, instance: string, history: History): Kafka {
  return {
    ...kafka,
    producer: (config) => {
      const producer = kafka.producer(config);
      const send: Producer['send'] = async (batch) => {
        const responses = await producer.send(batch);
        for (const message of batch.messages) {
          history.add({
            kind: 'acknowledged',
            instance,
            topic: batch.topic,
            subject: subjectOf(message.headers),
          });
        }
        return responses;
      };
      return { ...producer, send };
    },
  };
}

export function headerOf(headers: Message['headers'], name: string): string | undefined {
  return headers.find(([one]) => one === name)?.[1]?.toString();
}

/** Returns the delivery or source record that the headers of a retry or dead letter name. */
export function subjectOf(headers: Message['headers']): RecordSubject {
  const text = (name: string): string | undefined => headerOf(headers, name);
  const source = [headerNames.sourceTopic, headerNames.sourcePartition, headerNames.sourceOffset].map(text).join('/');
  return { deliveryId: text(headerNames.deliveryId), source };
}

function positionOf({ topic, partition, offset }: SourceRecord): RecordPosition {
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
