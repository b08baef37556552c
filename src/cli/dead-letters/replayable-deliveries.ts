import type { Decoded } from '../../certificates/certificate.ts';
import type { SourceRecord } from '../../certificates/record.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import { type DeadLetter, withSourcePosition, originalRecord } from '../../kafka/records/dead-letter-reading.ts';
import { readEnvelope } from '../../kafka/records/envelope.ts';
import type { Webhooks } from '../../service/webhook-directory.ts';
import type { Planner } from '../planner.ts';

type ReplayableDeliveries =
  | { readonly kind: 'deliveries'; readonly deliveries: readonly Delivery[] }
  | { readonly kind: 'not_replayable'; readonly reason: string };

export interface ReplayableOptions {
  readonly planner: Pick<Planner, 'decode' | 'plan'> & {
    webhooks(): Promise<Pick<Webhooks, 'ofOwner'>>;
  };
  readonly isCertificateTopic: (topic: string) => boolean;
  readonly isTier: (topic: string) => boolean;
}

/** Restarts a delivery with its first attempt, planned at `now`. Decodes a record and plans its deliveries again. */
export async function replayableDeliveries(
  { of, record }: DeadLetter,
  now: number,
  options: ReplayableOptions,
): Promise<ReplayableDeliveries> {
  if (record.value === null) return notReplayable('its value is not there');
  if (of === 'delivery') return restartDelivery(record, now);
  const original = originalRecord(record);
  if (original === undefined) return notReplayable('its headers do not say where it comes from');
  if (options.isTier(original.topic)) return restartDelivery(withSourcePosition(original), now);
  if (options.isCertificateTopic(original.topic)) return planAgain(original, options);
  return notReplayable('it comes from a topic that is not in CERTIFICATE_TOPICS');
}

function restartDelivery(record: SourceRecord, now: number): ReplayableDeliveries {
  const envelope = readEnvelope(record);
  if (envelope.kind === 'unreadable') return notReplayable(envelope.problem);
  if (envelope.kind === 'result') return notReplayable('it is a result of a delivery that was made');
  return { kind: 'deliveries', deliveries: [{ ...envelope.delivery, ...firstAttempt, plannedAt: now }] };
}

const firstAttempt = { attempt: 1, deferrals: 0, firstAttemptedAt: undefined, lastFailure: undefined } as const;

async function planAgain(record: SourceRecord, { planner }: ReplayableOptions): Promise<ReplayableDeliveries> {
  const decoded: Decoded = await planner.decode(record);
  switch (decoded.kind) {
    case 'ignored':
      return notReplayable('it is meant for nobody');
    case 'rejected':
      return notReplayable(`it is still ${decoded.rejection.reason}`);
    case 'certificate': {
      const webhooks = (await planner.webhooks()).ofOwner(decoded.certificate.ownerId);
      const deliveries = planner.plan(record, decoded.certificate, webhooks);
      if (deliveries.length === 0) return notReplayable('no configuration of its owner wants it');
      return { kind: 'deliveries', deliveries };
    }
  }
}

function notReplayable(reason: string): ReplayableDeliveries {
  return { kind: 'not_replayable', reason };
}
