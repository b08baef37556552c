import type { OutgoingHeaders } from '../../src/kafka/client/kafka.ts';
import { eventTypes } from '../../src/certificates/certificate.ts';
import { attemptOutcomes, deferOutcomes } from '../../src/deliveries/outcome.ts';
import { deliveryDeadReasons, recordDeadReasons } from '../../src/deliveries/settle.ts';
import { deadDeliveryHeaders, deadRecordHeaders } from '../../src/kafka/records/dead-letter.ts';
import { owedResultHeaders, retryHeaders } from '../../src/kafka/records/envelope.ts';
import { countPattern, headerNames as names } from '../../src/kafka/records/headers.ts';
import { markerHeaders, replayHeaders } from '../../src/kafka/records/replay-headers.ts';
import { aDelivery, aRecord } from '../../test/support/builders.ts';
import type { JsonSchema } from './published-schema.ts';

const id = { type: 'string', minLength: 1 };
const count = { type: 'string', pattern: countPattern.source };
const time = { type: 'string', format: 'date-time' };
const reasons = [...attemptOutcomes, ...deferOutcomes].filter((kind) => kind !== 'delivered' && kind !== 'draining');

/** The schema of each header, as text. The compiler asks for a row when there is another header. */
const schemas: Readonly<Record<keyof typeof names, JsonSchema>> = {
  webhookId: { ...id, description: 'The `_id` of the webhook configuration.' },
  ownerId: id,
  certificateId: id,
  eventType: { enum: eventTypes },
  deliveryId: {
    ...id,
    description: 'The same for all attempts: source topic, partition, offset and webhook, with `/` between.',
  },
  attempt: { ...count, description: 'Attempts made so far.' },
  deferrals: { ...count, description: 'Deferrals since the last attempt.' },
  plannedAt: { ...time, description: 'From here on the age of the delivery counts.' },
  firstAttemptedAt: time,
  dueAt: { ...time, description: 'When the next attempt is due.' },
  owedResult: { ...count, description: 'The times that the result was written to a tier.' },
  failedAt: time,
  replayedAt: { ...time, description: 'When the dead letter was put back for delivery, or purged.' },
  purgedAt: {
    ...time,
    description: 'When the dead letter was purged, with its configuration. It is neither listed nor replayed.',
  },
  sourceTopic: { ...id, description: 'The topic of the certificate record.' },
  sourcePartition: count,
  sourceOffset: count,
  sourceTimestamp: time,
  failureReason: { enum: reasons, description: 'The outcome of the last failure.' },
  failureStatus: {
    type: 'string',
    pattern: String.raw`^\d{3}$`,
    description: 'The HTTP status of the last answer, if there was one.',
  },
  failureMessage: {
    type: 'string',
    minLength: 1,
    maxLength: 256,
    description: 'One line, without secrets and values of the record.',
  },
  deadLetterReason: { enum: deliveryDeadReasons, description: 'Why there is no further attempt.' },
  headersOmitted: {
    const: 'true',
    description: 'The record has more headers than are read, and none of them is here.',
  },
  deadLetterPartition: { ...count, description: 'The partition of the dead letter that was put back or purged.' },
  deadLetterOffset: { ...count, description: 'The offset of the dead letter that was put back or purged.' },
  traceparent: { type: 'string', maxLength: 512, description: 'W3C Trace Context of the certificate record.' },
  tracestate: { type: 'string', maxLength: 512 },
};

const byKey: Readonly<Record<string, JsonSchema | undefined>> = schemas;
const byName = Object.fromEntries(Object.entries(names).map(([key, name]) => [name, byKey[key]]));

/** The schemas of headers that mean something else on the dead letter of a record. */
const ofRecords = {
  [names.failureReason]: { enum: recordDeadReasons, description: 'Why the record is no certificate.' },
  [names.deadLetterReason]: {
    enum: recordDeadReasons,
    description: 'The same, or `too_large` when the brokers took no value.',
  },
};

/**
 * Returns the schema of a record's headers. Those that the code writes at most are its properties, and those that it
 * writes at least are required.
 */
function headersSchema(most: OutgoingHeaders, least: OutgoingHeaders, schemasByName = byName): JsonSchema {
  return {
    type: 'object',
    required: least.map(([name]) => name),
    properties: Object.fromEntries(most.map(([name]) => [name, schemasByName[name] ?? unknown(name)])),
  };
}

function unknown(name: string): never {
  throw new Error(`there is no schema of the header ${name}`);
}

const { topic, partition, offset } = aRecord();
const source = { topic, partition, offset, timestamp: undefined };
const leastRecord = aRecord({ timestamp: undefined });
const leastDelivery = aDelivery({ source });
const mostDelivery = aDelivery({
  firstAttemptedAt: 0,
  lastFailure: { reason: 'http_error', status: 500, message: 'answered 500' },
  trace: { traceparent: 'there is one', tracestate: 'there is one' },
});

const exhausted = { reason: 'exhausted', attemptsMade: 1, failedAt: 0 } as const;
const undecodable = { reason: 'undecodable', failedAt: 0 } as const;
const deadHeaders = deadDeliveryHeaders(mostDelivery, exhausted);

/** The headers of each kind of record that the service writes. */
export const recordHeaders = {
  retry: headersSchema(replayHeaders(mostDelivery, 0, { partition, offset }), retryHeaders(leastDelivery, 0)),
  owedResult: headersSchema(owedResultHeaders(1, 0), owedResultHeaders(1, 0)),
  deadDelivery: headersSchema(deadHeaders, deadDeliveryHeaders(leastDelivery, exhausted)),
  deadRecord: headersSchema(
    deadRecordHeaders(aRecord({ headersOmitted: true }), { ...undecodable, message: 'there is one' }, 'undecodable'),
    deadRecordHeaders(leastRecord, { ...undecodable, message: '' }, 'undecodable'),
    { ...byName, ...ofRecords },
  ),
  replayMarker: headersSchema(
    markerHeaders({ of: 'delivery', record: aRecord({ headers: deadHeaders }) }, 0, 'purged'),
    markerHeaders({ of: 'record', record: aRecord({ headers: deadDeliveryHeaders(leastDelivery, exhausted) }) }, 0),
  ),
} satisfies Readonly<Record<string, JsonSchema>>;
