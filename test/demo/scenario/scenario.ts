import type { CertificateEvent } from '../subscribers/certificates.ts';
import { subscribers, eventsFor } from '../subscribers/subscribers.ts';
import type { Line } from '../view/line.ts';
import { noteOf } from '../view/notes.ts';
import type { Row, Overview } from '../view/overview.ts';
import type { Attempt } from './attempt.ts';
import type { ServiceLog } from './service-log.ts';
import type { ProducedCertificate } from './production.ts';
import { countSettled, countDeliveries } from './delivery-counts.ts';

/** The certificates of the demo and the progress of the run. */
export interface Scenario {
  readonly log: ServiceLog;
  /** All certificates to produce. */
  readonly events: readonly CertificateEvent[];
  /** The certificates produced so far. */
  readonly produced: ProducedCertificate[];
}

/** Summarizes the run. Certificates added by the user increase the totals. */
export function overviewOf({ log: { attempts }, events, produced }: Scenario): Overview {
  const rows = subscribers.map((subscriber): Row => {
    const counts = countDeliveries(subscriber.id, attempts);
    const known = counts.delivered + counts.waiting + counts.dead;
    return { subscriber, counts, wanted: Math.max(eventsFor(subscriber, events).length, known) };
  });
  return {
    certificates: { done: produced.length, total: events.length },
    deliveries: { done: countSettled(attempts), total: rows.reduce((sum, { wanted }) => sum + wanted, 0) },
    rows,
    notes: notesOn(attempts, events),
  };
}

/** Returns a note on each attempt of the first delivery of a webhook, and of certificates that the user added. */
function notesOn(attempts: readonly Attempt[], events: readonly CertificateEvent[]): readonly Line[] {
  const planned = new Set(events.map(({ id }) => id));
  const firstDeliveries = new Map(
    attempts.toReversed().map(({ configurationId, deliveryId }) => [configurationId, deliveryId]),
  );
  return attempts.flatMap((attempt) => {
    const name = subscribers.find(({ id }) => id === attempt.configurationId)?.name ?? attempt.configurationId;
    const line = noteOf(attempt, name);
    const isFirst = firstDeliveries.get(attempt.configurationId) === attempt.deliveryId;
    const isNotable = isFirst || !planned.has(attempt.certificateId);
    return line === undefined || !isNotable ? [] : [line];
  });
}
