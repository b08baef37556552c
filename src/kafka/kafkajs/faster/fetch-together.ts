import { sleep, type MonotonicClock } from '../../../lib/clock.ts';
import type { FetchPace, StateOf } from '../group-state.ts';
import type { ConsumerGroup } from '../internals.ts';

/** Time in ms from an answer with records to the next fetch, so that records come together. */
const togetherMs = 10;
/** Records that must be expected in that time. For fewer, a fetch of their own costs less than the delay. */
const worthWaiting = 5;
/** Time in ms over which the rate of records is averaged. */
const averagedMs = 100;

/**
 * Lets records come together once they come often.
 *
 * A broker answers a fetch as soon as it has one record. At 1,000 records a second nearly each was a fetch of its own, which
 * costs as much as a delivery. Below 500 a second nothing waits.
 */
export function fetchTogether(consumerGroup: ConsumerGroup, stateOf: StateOf, clock: MonotonicClock): void {
  const { fetch } = consumerGroup;
  consumerGroup.fetch = async function fetchAfterOthers(this: ConsumerGroup, nodeId) {
    const { paces } = stateOf(this);
    const pace = paces.get(nodeId) ?? { answeredAt: Number.NEGATIVE_INFINITY, perMs: 0 };
    const waitMs = pace.answeredAt + togetherMs - clock.monotonic();
    if (waitMs > 0 && pace.perMs * togetherMs >= worthWaiting) await sleep(clock, waitMs);
    const batches = await fetch.call(this, nodeId);
    const records = batches.reduce((sum, { rawMessages }) => sum + rawMessages.length, 0);
    if (records > 0) paces.set(nodeId, afterAnswer(pace, records, clock.monotonic()));
    return batches;
  };
}

/** Averages exponentially, so that what came before `averagedMs` counts little. */
function afterAnswer({ answeredAt, perMs }: FetchPace, records: number, now: number): FetchPace {
  const kept = Math.exp((answeredAt - now) / averagedMs);
  return { answeredAt: now, perMs: perMs * kept + records / averagedMs };
}
