import type { Decoded } from '../../certificates/certificate.ts';
import type { SourceRecord } from '../../certificates/record.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import type { DeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import { withSourcePosition, originalRecord } from '../../kafka/records/dead-letter-source.ts';
import { readEnvelope } from '../../kafka/records/envelope.ts';
import type { Planner } from '../planner.ts';

/** What a dead letter comes to when it is put back. */
type ReplayableDeliveries =
  | { readonly kind: 'deliveries'; readonly deliveries: readonly Delivery[] }
  /** It stays where it is, for that reason. */
  | { readonly kind: 'stays'; readonly why: string };

export interface ReplayableOptions {
  readonly planner: Pick<Planner, 'decode' | 'webhooks' | 'plan'>;
  readonly isCertificateTopic: (topic: string) => boolean;
  readonly isTier: (topic: string) => boolean;
}

/** A delivery starts afresh at that time; a record is read and planned anew. */
export async function replayableDeliveries({ of, record }: DeadLetter, now: number, options: ReplayableOptions): Promise<ReplayableDeliveries> {
  if (record.value === null) return stays('its value is not there');
  if (of === 'delivery') return reviveDelivery(record, now);
  const buried = originalRecord(record);
  if (buried === undefined) return stays('its headers do not say where it comes from');
  if (options.isTier(buried.topic)) return reviveDelivery(withSourcePosition(buried), now);
  if (options.isCertificateTopic(buried.topic)) return planAnew(buried, options);
  return stays('it comes from a topic that is not in CERTIFICATE_TOPICS');
}

function reviveDelivery(record: SourceRecord, now: number): ReplayableDeliveries {
  const envelope = readEnvelope(record);
  if (envelope.kind === 'unreadable') return stays(envelope.problem);
  return { kind: 'deliveries', deliveries: [{ ...envelope.delivery, ...afresh, plannedAt: now }] };
}

const afresh = { attempt: 1, deferrals: 0, firstAttemptedAt: undefined, lastFailure: undefined } as const;

async function planAnew(record: SourceRecord, { planner }: ReplayableOptions): Promise<ReplayableDeliveries> {
  const decoded: Decoded = await planner.decode(record);
  switch (decoded.kind) {
    case 'ignored':
      return stays('it is meant for nobody');
    case 'rejected':
      return stays(`it is still ${decoded.rejection.reason}`);
    case 'certificate': {
      const webhooks = (await planner.webhooks()).ofOwner(decoded.certificate.ownerId);
      const deliveries = planner.plan(record, decoded.certificate, webhooks);
      if (deliveries.length === 0) return stays('no configuration of its owner wants it');
      return { kind: 'deliveries', deliveries };
    }
  }
}

function stays(why: string): ReplayableDeliveries {
  return { kind: 'stays', why };
}
