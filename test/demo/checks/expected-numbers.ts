import { attemptsOf, type Subscriber } from '../subscribers/subscribers.ts';
import type { Names } from '../environment/service-environment.ts';
import { wantedBy } from '../scenario/expectation.ts';
import type { Produced } from '../scenario/production.ts';
import { counted } from './check.ts';

type Numbers = Readonly<Record<string, number>>;

/** What the metrics have to say, by labels; worked out from what went in and how the endpoints answer. */
export interface ExpectedNumbers {
  readonly consumed: Numbers;
  readonly settled: Numbers;
  readonly attempts: Numbers;
  readonly scheduled: Numbers;
  readonly deadLetters: Numbers;
}

interface Given {
  readonly produced: readonly Produced[];
  readonly names: Pick<Names, 'tiers'>;
  readonly delays: readonly string[];
}

export function expectedNumbers(
  subscribers: readonly Subscriber[],
  { produced, names, delays }: Given,
): ExpectedNumbers {
  const deliveries = subscribers.flatMap((subscriber) => wantedBy(subscriber, produced).map(() => subscriber));
  const stays = deliveries.flatMap((subscriber) => staysOf(subscriber, names.tiers.length));
  return {
    consumed: counted([
      ...produced.map(({ topic }) => `{topic="${topic}"}`),
      ...stays.map(({ tier }) => `{topic="${names.tiers[tier]}"}`),
    ]),
    settled: counted([
      ...produced.map((one) => `{result="${resultOf(one, subscribers)}",topic="${one.topic}"}`),
      ...stays.map(({ tier, result }) => `{result="${result}",topic="${names.tiers[tier]}"}`),
    ]),
    attempts: counted(deliveries.flatMap((subscriber) => attemptLabels(subscriber, names.tiers.length))),
    scheduled: counted(stays.map(({ tier }) => `{tier="${delays[tier]}"}`)),
    deadLetters: counted(deliveries.filter(isDoomed).map(() => '{reason="exhausted"}')),
  };
}

interface Stay {
  /** From zero. */
  readonly tier: number;
  /** What the attempt after it came to. */
  readonly result: string;
}

/** One in the tier after each attempt but the last. */
function staysOf(subscriber: Subscriber, tiers: number): readonly Stay[] {
  const stays = attemptsOf(subscriber, tiers) - 1;
  const last = isDoomed(subscriber) ? 'dead_lettered' : 'delivered';
  return Array.from({ length: stays }, (_, tier) => ({ tier, result: tier === stays - 1 ? last : 'retried' }));
}

/** Of several deliveries the first that applies of retried and delivered. */
function resultOf(event: Produced, subscribers: readonly Subscriber[]): string {
  const wanting = subscribers.filter((subscriber) => wantedBy(subscriber, [event]).length > 0);
  if (wanting.length === 0) return 'unclaimed';
  return wanting.every(({ behaviour }) => behaviour === 'works') ? 'delivered' : 'retried';
}

function attemptLabels(subscriber: Subscriber, tiers: number): readonly string[] {
  const count = attemptsOf(subscriber, tiers);
  return Array.from({ length: count }, (_, index) => {
    const succeeds = index === count - 1 && !isDoomed(subscriber);
    const came = succeeds ? ['delivered', '2xx'] : ['http_error', '5xx'];
    return `{attempt="${index === 0 ? 'first' : 'retry'}",outcome="${came[0]}",status_class="${came[1]}"}`;
  });
}

function isDoomed({ behaviour }: Subscriber): boolean {
  return behaviour === 'always_fails';
}
