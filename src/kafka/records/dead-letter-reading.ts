import { headerText, type SourceRecord } from '../../certificates/record.ts';
import { deliveryDeadReasons, recordDeadReasons, type DeadReason } from '../../deliveries/settlement.ts';
import { HeaderReader } from './header-reader.ts';
import { headerNames as names } from './headers.ts';
import { deadLetterPosition, sourceName, type DeadLetterRecord, type DeadLetterPosition } from './replay-headers.ts';

/** A record of the dead-letter topic. */
type DeadLetterReadResult =
  | { readonly kind: 'letter'; readonly letter: DeadLetter }
  /** The dead letter at that place was replayed. Undefined: it does not say which. */
  | { readonly kind: 'marker'; readonly of: DeadLetterPosition | undefined; readonly source: string };

/** Of a record it is when that never became a delivery, or when our code threw on it. */
export interface DeadLetter extends DeadLetterRecord {
  readonly reason: DeadReason | undefined;
  /** Undefined for a record's dead letter, whatever headers that record came with. */
  readonly webhookId: string | undefined;
  readonly ownerId: string | undefined;
  readonly certificateId: string | undefined;
  /** Epoch milliseconds. */
  readonly failedAt: number;
  /** Names the certificate record that it comes from. */
  readonly source: string;
}

export const deadReasons: readonly DeadReason[] = [...deliveryDeadReasons, ...recordDeadReasons];

export function readDeadLetter(record: SourceRecord): DeadLetterReadResult {
  const { headers, value } = record;
  const source = sourceName(headers);
  const isMarker = value === null && headerText(headers, names.replayedAt) !== undefined;
  if (isMarker) return { kind: 'marker', of: deadLetterPosition(headers), source };
  const of = isOfRecord(record) ? 'record' : 'delivery';
  const ids = of === 'delivery' ? deliveryIds(record) : noIds;
  return {
    kind: 'letter',
    letter: { record, of, reason: reasonOf(record), ...ids, failedAt: failedAt(record), source },
  };
}

/** Why a record is dead stays in `failure-reason`, also when it was buried as too large. */
function isOfRecord({ headers }: SourceRecord): boolean {
  const reason = headerText(headers, names.failureReason);
  return recordDeadReasons.some((one) => one === reason);
}

function reasonOf({ headers }: SourceRecord): DeadReason | undefined {
  const text = headerText(headers, names.deadLetterReason);
  return deadReasons.find((reason) => reason === text);
}

function failedAt({ headers, timestamp }: SourceRecord): number {
  const reader = new HeaderReader(headers);
  const told = reader.time(names.failedAt);
  return (reader.problem === undefined ? told : undefined) ?? timestamp ?? 0;
}

type Ids = Pick<DeadLetter, 'webhookId' | 'ownerId' | 'certificateId'>;

const noIds: Ids = { webhookId: undefined, ownerId: undefined, certificateId: undefined };

function deliveryIds({ headers }: SourceRecord): Ids {
  return {
    webhookId: headerText(headers, names.webhookId),
    ownerId: headerText(headers, names.ownerId),
    certificateId: headerText(headers, names.certificateId),
  };
}
