import type { WebhookLimits } from '../../../src/webhooks/webhook.ts';
import type { Environment } from '../../../src/settings.ts';
import { defaultSettings } from '../../support/service/default-settings.ts';
import { SingleSubscriberService } from './single-subscriber-service.ts';

/** A subscriber that gets more than it takes. */
export interface Overload {
  readonly limits: WebhookLimits;
  /** The certificates that come, as a part of those that it takes. */
  readonly inflow: number;
  readonly answerMs: number;
  readonly hours: number;
  readonly environment: Environment;
}

interface OverloadFigures {
  readonly undelivered: number;
  /** The most writes of a delivery beyond the stays in tiers that the wait is made of which it was given first. */
  readonly excess: number;
  /**
   * The longest wait without two of the shortest delay, as a part of the time that the longest backlog takes. A backlog of less
   * than a minute counts as one: the pace of an endpoint without `perMinute` is not measured sooner.
   */
  readonly longestWait: number;
}

interface Writes {
  readonly givenMs: number;
  count: number;
}

const shortestBacklogMs = 60_000;
/** A delivery that is a little late in one tier needs shorter ones in place of the next. */
const latenessMs = 3000;

/** Runs an overload for some hours, and until everything is delivered. */
export async function runOverload({
  limits,
  inflow,
  answerMs,
  hours,
  environment,
}: Overload): Promise<OverloadFigures> {
  const writes = new Map<string, Writes>();
  using service = new SingleSubscriberService(
    () => ({ afterMs: answerMs, outcome: { kind: 'delivered', status: 200 } }),
    {
      environment,
      limits,
      onWrite: ({ deliveryId }, dueAt) => {
        const known = writes.get(deliveryId) ?? { givenMs: dueAt - service.clock.now(), count: 0 };
        known.count += 1;
        writes.set(deliveryId, known);
      },
    },
  );
  const { perMinute = Number.POSITIVE_INFINITY, inFlight = 16 } = limits;
  const intervalMs = Math.max(60_000 / perMinute, answerMs / inFlight);
  const certificates = Math.floor((hours * 3_600_000 * inflow) / intervalMs);
  let backlog = 0;
  for (let issued = 1; issued <= certificates; issued += 1) {
    void service.issue(1);
    await service.clock.advance(intervalMs / inflow);
    backlog = Math.max(backlog, issued - service.delivered.size);
  }
  for (let hour = 0; hour < 80 && service.delivered.size < certificates; hour += 1)
    await service.clock.advance(3_600_000);
  const { delaysMs } = defaultSettings(environment).retry;
  const excess = [...writes.values()].map(({ givenMs, count }) => count - mostStays(givenMs, delaysMs));
  // A backlog that is worked off within seconds waits for the shortest delay nevertheless, and once more if that was too short.
  const spareMs = 2 * Math.min(...delaysMs);
  const waits = [...service.delivered].map(([id, at]) => at - (offsetOf(id) * intervalMs) / inflow - spareMs);
  return {
    undelivered: certificates - service.delivered.size,
    excess: Math.max(0, ...excess),
    longestWait:
      waits.reduce((longest, wait) => Math.max(longest, wait), 0) / Math.max(backlog * intervalMs, shortestBacklogMs),
  };
}

/** Returns the most stays in tiers of which a wait is made, or one that is a little shorter. */
function mostStays(waitMs: number, delaysMs: readonly number[]): number {
  const shorter = Array.from({ length: 31 }, (_, step) => Math.max(1, waitMs - (step * latenessMs) / 30));
  return Math.max(...shorter.map((ms) => staysOf(ms, delaysMs)));
}

function staysOf(waitMs: number, delaysMs: readonly number[]): number {
  let leftMs = waitMs;
  const stays = delaysMs.toReversed().map((delayMs) => {
    const count = Math.floor(leftMs / delayMs);
    leftMs -= count * delayMs;
    return count;
  });
  return stays.reduce((sum, count) => sum + count, leftMs > 0 ? 1 : 0);
}

function offsetOf(deliveryId: string): number {
  return Number(deliveryId.split('/')[2]);
}
