import { parseDuration } from '../../../src/lib/duration.ts';
import { attemptsOf, type Subscriber } from '../subscribers/subscribers.ts';
import { delays } from '../environment/service-environment.ts';
import type { Attempt } from '../scenario/attempt.ts';
import type { Evidence, Receipts } from '../scenario/observations.ts';
import { wantedBy } from '../scenario/expectation.ts';
import { counted, expectEqual, times, type Check } from './check.ts';
import { certificateIn } from './requests.ts';

/** What the service says of its attempts, and how far they lie apart. */
export function checkAttempts(evidence: Evidence): readonly Check[] {
  const failing = evidence.receipts.filter(({ subscriber }) => subscriber.behaviour !== 'works');
  return [
    checkDeliveryIds(evidence),
    ...failing.map((one) => checkCourse(one.subscriber, evidence)),
    ...failing.map((one) => checkPauses(one)),
  ];
}

/** One id for each delivery, made of the record's place and the webhook, and the same on each of its attempts. */
function checkDeliveryIds({ receipts, produced, attempts, names }: Evidence): Check {
  const expected = receipts.flatMap(({ subscriber }) =>
    wantedBy(subscriber, produced).map(({ topic, partition, offset }) => ({
      id: `${topic}/${partition}/${offset}/${subscriber.id}`,
      attempts: attemptsOf(subscriber, names.tiers.length),
    })),
  );
  const found = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
  return expectEqual(
    `${expected.length} deliveries, each with an id of its own that stays the same`,
    expected.map(({ id, attempts: made }) => `${id}: ${numbersTo(made)}`).toSorted(),
    [...found].map(([id, made]) => `${id}: ${made.map(({ attempt }) => attempt).join()}`).toSorted(),
  );
}

function numbersTo(last: number): string {
  return Array.from({ length: last }, (_, index) => index + 1).join();
}

/** What its deliveries went through, as one text for each. */
function checkCourse(subscriber: Subscriber, { produced, attempts }: Evidence): Check {
  const own = attempts.filter(({ configurationId }) => configurationId === subscriber.id);
  const courses = [...Map.groupBy(own, ({ deliveryId }) => deliveryId).values()];
  return expectEqual(
    `${subscriber.name}: ${courseOf(subscriber)}`,
    times(wantedBy(subscriber, produced).length, courseOf(subscriber)),
    counted(courses.map((course) => course.map(stepText).join(', '))),
  );
}

function courseOf({ behaviour }: Subscriber): string {
  switch (behaviour) {
    case 'works':
      return '200 done';
    case 'fails_twice':
      return `503 retry ${delays[0]}, 503 retry ${delays[1]}, 200 done`;
    case 'always_fails':
      return [...delays.map((delay) => `500 retry ${delay}`), '500 dead'].join(', ');
  }
}

function stepText({ status, settlement, tier }: Attempt): string {
  return [status, settlement, tier].filter((part) => part !== undefined).join(' ');
}

/** No attempt comes before its tier's delay is over. */
function checkPauses({ subscriber, requests }: Receipts): Check {
  const pauses = [...Map.groupBy(requests, (request) => certificateIn(request)).values()].flatMap((course) =>
    course.slice(1).map(({ arrivedAt }, index) => ({
      delay: delays[index] ?? 'none',
      pauseMs: arrivedAt - (course[index]?.arrivedAt ?? arrivedAt),
    })),
  );
  return expectEqual(
    `${subscriber.name}: ${pauses.length} retries waited for their delay`,
    [],
    pauses.filter(({ delay, pauseMs }) => pauseMs < (parseDuration(delay) ?? Number.POSITIVE_INFINITY)),
  );
}
