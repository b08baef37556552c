import { attemptsOf, type Subscriber, eventsFor } from '../subscribers/subscribers.ts';
import type { Names } from '../environment/service-environment.ts';
import type { ProducedCertificate } from '../scenario/production.ts';
import { counted } from './check.ts';

type Numbers = Readonly<Record<string, number>>;

/** The expected values of the metrics, by labels. They follow from the produced records and the behaviour of the endpoints. */
export interface ExpectedNumbers {
  readonly consumed: Numbers;
  readonly settled: Numbers;
  readonly attempts: Numbers;
  readonly scheduled: Numbers;
  readonly deadLetters: Numbers;
}

interface ExpectedNumbersOptions {
  readonly produced: readonly ProducedCertificate[];
  readonly names: Pick<Names, 'tiers'>;
  readonly delays: readonly string[];
}

export function expectedNumbers(
  subscribers: readonly Subscriber[],
  { produced, names, delays }: ExpectedNumbersOptions,
): ExpectedNumbers {
  const deliveries = subscribers.flatMap((subscriber) => eventsFor(subscriber, produced).map(() => subscriber));
  const visits = deliveries.flatMap((subscriber) => tierVisitsOf(subscriber, names.tiers.length));
  return {
    consumed: counted([
      ...produced.map(({ topic }) => `{topic="${topic}"}`),
      ...visits.map(({ tier }) => `{topic="${names.tiers[tier]}"}`),
    ]),
    settled: counted([
      ...produced.map((one) => `{result="${resultOf(one, subscribers)}",topic="${one.topic}"}`),
      ...visits.map(({ tier, result }) => `{result="${result}",topic="${names.tiers[tier]}"}`),
    ]),
    attempts: counted(deliveries.flatMap((subscriber) => attemptLabels(subscriber, names.tiers.length))),
    scheduled: counted(visits.map(({ tier }) => `{tier="${delays[tier]}"}`)),
    deadLetters: counted(deliveries.filter(alwaysFails).map(() => '{reason="exhausted"}')),
  };
}

interface TierVisit {
  /** Counted from zero. */
  readonly tier: number;
  /** The result of the attempt after it. */
  readonly result: string;
}

/** Returns one visit to a tier after each attempt but the last. */
function tierVisitsOf(subscriber: Subscriber, tiers: number): readonly TierVisit[] {
  const visits = attemptsOf(subscriber, tiers) - 1;
  const last = alwaysFails(subscriber) ? 'dead_lettered' : 'delivered';
  return Array.from({ length: visits }, (_, tier) => ({ tier, result: tier === visits - 1 ? last : 'retried' }));
}

/** `retried` if any delivery of the record is retried, else `delivered`. */
function resultOf(event: ProducedCertificate, subscribers: readonly Subscriber[]): string {
  const wanting = subscribers.filter((subscriber) => eventsFor(subscriber, [event]).length > 0);
  if (wanting.length === 0) return 'unclaimed';
  return wanting.every(({ behaviour }) => behaviour === 'works') ? 'delivered' : 'retried';
}

function attemptLabels(subscriber: Subscriber, tiers: number): readonly string[] {
  const count = attemptsOf(subscriber, tiers);
  return Array.from({ length: count }, (_, index) => {
    const succeeds = index === count - 1 && !alwaysFails(subscriber);
    const result = succeeds ? ['delivered', '2xx'] : ['http_error', '5xx'];
    return `{attempt="${index === 0 ? 'first' : 'retry'}",outcome="${result[0]}",status_class="${result[1]}"}`;
  });
}

function alwaysFails({ behaviour }: Subscriber): boolean {
  return behaviour === 'always_fails';
}
