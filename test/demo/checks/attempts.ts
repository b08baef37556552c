import { parseDuration } from '../../../src/lib/units.ts';
import { attemptsOf, eventsFor } from '../subscribers/subscribers.ts';
import { delays } from '../environment/service-environment.ts';
import type { Observations, Receipts } from '../scenario/observations.ts';
import { expectEqual, type Check } from './check.ts';
import { certificateIn } from './requests.ts';

/** Compares the attempts in the service log with the expected ones, and the time between requests with the delays. */
export function checkAttempts(observations: Observations): readonly Check[] {
  const failing = observations.receipts.filter(({ subscriber }) => subscriber.behaviour !== 'works');
  return [checkDeliveryIds(observations), ...failing.map((one) => checkDelays(one))];
}

/** All attempts of a delivery carry the same id, which names the record and the webhook. */
function checkDeliveryIds({ receipts, produced, attempts, names }: Observations): Check {
  const expected = receipts.flatMap(({ subscriber }) =>
    eventsFor(subscriber, produced).map(({ topic, partition, offset }) => ({
      id: `${topic}/${partition}/${offset}/${subscriber.id}`,
      attempts: attemptsOf(subscriber, names.tiers.length),
    })),
  );
  const found = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
  return expectEqual(
    `${expected.length} deliveries, each with its own id, the same on every attempt`,
    expected.map(({ id, attempts: made }) => `${id}: ${numbersTo(made)}`).toSorted(),
    [...found].map(([id, made]) => `${id}: ${made.map(({ attempt }) => attempt).join()}`).toSorted(),
  );
}

function numbersTo(last: number): string {
  return Array.from({ length: last }, (_, index) => index + 1).join();
}

/** No request arrives before the delay of its tier has passed. */
function checkDelays({ subscriber, requests }: Receipts): Check {
  const pauses = [...Map.groupBy(requests, (request) => certificateIn(request)).values()].flatMap((sequence) =>
    sequence.slice(1).map(({ arrivedAt }, index) => ({
      delay: delays[index] ?? 'none',
      pauseMs: arrivedAt - (sequence[index]?.arrivedAt ?? arrivedAt),
    })),
  );
  return expectEqual(
    `${subscriber.name}: ${pauses.length} retries came after their delay`,
    [],
    pauses.filter(({ delay, pauseMs }) => pauseMs < (parseDuration(delay) ?? Number.POSITIVE_INFINITY)),
  );
}
