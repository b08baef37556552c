import type { Kafka } from '../client/kafka.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import { connectAdmin, describeTopics, findTopics } from './topic-admin.ts';
import { lossesOf } from './topic-comparison.ts';
import { dispensableTier, type FoundTopic, type FoundTopics } from './wanted-topics.ts';

/** How well a tier keeps retries until they are due. `limited`: until it has too many bytes. */
export type TierSafety = 'safe' | 'limited' | 'unsafe';

interface TierWatchOptions {
  readonly kafka: Kafka;
  /** The topics of the configured tiers, the shortest delay first. */
  readonly tiers: readonly string[];
  /** `DELIVERY_MAX_AGE`. */
  readonly maxAgeMs: number;
  readonly events: Pick<KafkaEvents, 'kafkaUnreachable' | 'topicsMissing'>;
  readonly clock: MonotonicClock;
}

/** Intervals in ms of the look at the topics: while all of them are safe, and while an operator may fix one. */
const lookEveryMs = { safe: 300_000, unsafe: 15_000 };

/**
 * Knows which tiers keep what is written to them. A compacted tier keeps the last retry of each key, and one with a short
 * retention expires them. A retry is the only copy of its delivery.
 *
 * Promises:
 * - An unsafe or missing tier is read on, and not written to. It ends no process, and keeps none from its start.
 * - A missing last tier is no problem, only `topicsMissing`: an upgrade that adds one stays ready until its topic is made.
 * - Nothing is judged before the brokers' first answer. While they refuse to describe topics, all count as safe.
 */
export class TierWatch implements AsyncDisposable {
  readonly #options: TierWatchOptions;
  readonly #stopping = new AbortController();
  readonly #watching: Promise<void>;
  #safeties: readonly TierSafety[] | undefined;
  #problems: readonly string[] = [];
  #lacksLastTier = false;
  #look = Promise.withResolvers<void>();

  constructor(options: TierWatchOptions) {
    this.#options = options;
    this.#watching = this.#watch();
  }

  /** Returns the tier to write to instead of this one, or the same. Undefined while none is safe, and before the first look. */
  writable(tier: number): number | undefined {
    return this.#safeties === undefined ? undefined : writableTier(this.#safeties, tier);
  }

  /** Resolves after the next look at the topics, and after the last. */
  nextLook(): Promise<void> {
    return this.#look.promise;
  }

  /** Returns a sentence for each tier that is not written to, but for a missing last one. */
  problems(): readonly string[] {
    return this.#problems;
  }

  /** Returns how many tiers are not written to. */
  unsafeTiers(): number {
    return this.#safeties?.filter((safety) => safety === 'unsafe').length ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
    this.#look.resolve();
  }

  async #watch(): Promise<void> {
    const { clock, events } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let retryInMs = lookEveryMs.unsafe;
      try {
        this.#judge(await this.#describe());
        if (this.unsafeTiers() === 0) retryInMs = lookEveryMs.safe;
      } catch (error) {
        this.#safeties ??= this.#options.tiers.map(() => 'safe');
        events.kafkaUnreachable({ doing: 'looking at the tiers', error, retryInMs });
      }
      this.#look.resolve();
      this.#look = Promise.withResolvers();
      await sleep(clock, retryInMs, signal);
    }
  }

  async #describe(): Promise<FoundTopics> {
    const { kafka, tiers } = this.#options;
    await using admin = await connectAdmin(kafka);
    return await describeTopics(admin, await findTopics(kafka, tiers));
  }

  #judge(found: FoundTopics): void {
    const { tiers, maxAgeMs, events } = this.#options;
    const lastTier = dispensableTier(tiers);
    const lacksLastTier = lastTier !== undefined && !found.has(lastTier);
    if (lacksLastTier) events.topicsMissing([lastTier]);
    else if (this.#lacksLastTier) events.topicsMissing([]);
    this.#lacksLastTier = lacksLastTier;
    const judged = tiers.map((topic) => judge(topic, found.get(topic), maxAgeMs));
    this.#safeties = judged.map(({ safety }) => safety);
    this.#problems = judged.slice(0, lacksLastTier ? -1 : undefined).flatMap(({ problem }) => problem ?? []);
  }
}

/**
 * Returns the tier that a retry for this one is written to. Tiers without a limit come first, then the longest that is not
 * longer, because a retry that is not due when its tier releases it is written again, and one that is late is late.
 */
export function writableTier(safeties: readonly TierSafety[], tier: number): number | undefined {
  for (const wanted of ['safe', 'limited'] as const) {
    const shorter = safeties.slice(0, tier + 1).lastIndexOf(wanted);
    if (shorter !== -1) return shorter;
    const longer = safeties.indexOf(wanted);
    if (longer !== -1) return longer;
  }
  return undefined;
}

/** Returns how well a tier keeps retries, and the problem of one that is unsafe. */
function judge(
  name: string,
  topic: FoundTopic | undefined,
  maxAgeMs: number,
): { readonly safety: TierSafety; readonly problem?: string } {
  if (topic === undefined) return { safety: 'unsafe', problem: `writes to ${name}, which is missing` };
  const [worst] = lossesOf(topic, maxAgeMs);
  if (worst === undefined) return { safety: 'safe' };
  if (worst.severity !== 'wrong') return { safety: 'limited' };
  return { safety: 'unsafe', problem: `writes to ${name}, which ${worst.problem}: ${worst.remedy}` };
}
