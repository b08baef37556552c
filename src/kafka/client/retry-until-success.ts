import { unlessAborted } from '../../lib/aborted.ts';
import { Backoff } from '../../lib/backoff.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import type { KafkaEvents } from '../kafka-events.ts';

export interface RetryOptions {
  /** The action in words for people, such as `asking for the topics`. */
  readonly doing: string;
  readonly events: Pick<KafkaEvents, 'kafkaUnreachable'>;
  readonly clock: MonotonicClock;
  readonly signal: AbortSignal;
  /** Returns true for errors that no retry fixes. They are thrown. */
  readonly isFinal?: (error: unknown) => boolean;
}

/** Calls the action until it succeeds, with growing pauses of 0.25 to 10 s. Throws the signal's reason after an abort. */
export async function retryUntilSuccess<Result>(action: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const { doing, events, clock, signal, isFinal } = options;
  const backoff = new Backoff({ firstMs: 250, longestMs: 10_000 });
  while (true) {
    try {
      return await unlessAborted(signal, action());
    } catch (error) {
      if (signal.aborted || isFinal?.(error) === true) throw error;
      const retryInMs = backoff.next();
      events.kafkaUnreachable({ doing, error, retryInMs });
      await sleep(clock, retryInMs, signal);
    }
  }
}
