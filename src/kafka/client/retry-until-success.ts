import { unlessAborted } from '../../lib/aborted.ts';
import { Backoff } from '../../lib/backoff.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import type { KafkaEvents } from '../kafka-events.ts';

export interface RetryOptions {
  /** What people read that failed, such as `asking for the topics`. */
  readonly doing: string;
  readonly events: Pick<KafkaEvents, 'kafkaUnreachable'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Errors that another try does not mend; they are thrown. */
  readonly isFinal?: (error: unknown) => boolean;
}

/** Does it again, later and later, until it works. Throws the signal's reason when that is aborted. */
export async function retryUntilSuccess<Result>(
  action: () => Promise<Result>,
  insistence: RetryOptions,
): Promise<Result> {
  const { doing, events, clock, signal, isFinal } = insistence;
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
