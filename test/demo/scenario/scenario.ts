import type { CertificateEvent } from '../subscribers/certificates.ts';
import { subscribers } from '../subscribers/subscribers.ts';
import { noteOf, type Note } from '../view/notes.ts';
import type { Row, Scene } from '../view/overview.ts';
import type { Attempt } from './attempt.ts';
import { wantedBy } from './expectation.ts';
import type { Journal } from './service-log.ts';
import type { Produced } from './production.ts';
import { settledIn, standingOf } from './delivery-counts.ts';

/** What the story is about, and how far it is. */
export interface Plot {
  readonly journal: Journal;
  /** All that are to be produced. */
  readonly events: readonly CertificateEvent[];
  /** Those that are; it grows. */
  readonly produced: Produced[];
}

/** What somebody adds while the demo is left running makes the totals grow. */
export function sceneOf({ journal: { attempts }, events, produced }: Plot): Scene {
  const rows = subscribers.map((subscriber): Row => {
    const standing = standingOf(subscriber.id, attempts);
    const known = standing.delivered + standing.waiting + standing.dead;
    return { subscriber, standing, wanted: Math.max(wantedBy(subscriber, events).length, known) };
  });
  return {
    certificates: { done: produced.length, total: events.length },
    deliveries: { done: settledIn(attempts), total: rows.reduce((sum, { wanted }) => sum + wanted, 0) },
    rows,
    notes: notesOn(attempts, events),
  };
}

function notesOn(attempts: readonly Attempt[], events: readonly CertificateEvent[]): readonly Note[] {
  const planned = new Set(events.map(({ id }) => id));
  const firstDeliveries = new Map(
    attempts.toReversed().map(({ configurationId, deliveryId }) => [configurationId, deliveryId]),
  );
  return attempts.flatMap((attempt) => {
    const name = subscribers.find(({ id }) => id === attempt.configurationId)?.name ?? attempt.configurationId;
    const line = noteOf(attempt, name);
    const isFirst = firstDeliveries.get(attempt.configurationId) === attempt.deliveryId;
    const isTelling = isFirst || !planned.has(attempt.certificateId);
    return line === undefined ? [] : [{ line, isTelling }];
  });
}
