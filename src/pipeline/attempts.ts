import type { Pool } from '../deliveries/delivery.ts';
import type { AttemptResult } from '../deliveries/attempt-result.ts';
import { SwapList } from '../lib/swap-list.ts';
import type { AttemptContext, RunningDelivery } from './running-delivery.ts';

type AttemptsOptions = Omit<AttemptContext, 'inFlight' | 'createHead'>;

/**
 * Makes one attempt at a delivery, the first or a later one. Owns the requests in flight, separately for each pool.
 *
 * 1. Looks up the webhook. Without an active webhook the outcome is a refusal, and no request is made.
 * 2. Acquires a permit from the endpoint's gate. This may take up to `DELIVERY_TIMEOUT`, or end in a refusal.
 * 3. After a wait, asks whether the delivery is still ours, because its partition may be another process's by now.
 *    Until that is known, the permit is for others. The delivery then starts over at 1, or its outcome is `draining`.
 * 4. Looks up the webhook again, because its configuration may have changed during the wait.
 * 5. Sends the request and waits for its outcome. If that takes a new connection, it asks once more.
 * 6. Releases the permit with the outcome, or with undefined when no request was sent.
 *
 * The pipeline calls `attempt`. The intakes call `abort` when a drained pool has used up its time.
 *
 * Promises:
 * - Each permit is released exactly once, also when building or sending the request throws. Otherwise its part of the
 *   capacity would be lost for ever.
 * - After `abort`, each request of the pool ends with `draining`, unless its outcome was known before.
 */
export class Attempts {
  readonly #context: AttemptContext;

  constructor(options: AttemptsOptions) {
    this.#context = {
      ...options,
      inFlight: { first: new SwapList(), retry: new SwapList() },
      createHead: (webhook) => options.heads.headOf(webhook.endpoint()),
    };
  }

  /** Makes an attempt. Its result goes to the delivery itself, or to `onResult`, perhaps before this returns. */
  attempt(delivery: RunningDelivery, onResult?: (result: AttemptResult) => void): void {
    delivery.attempt(this.#context, onResult);
  }

  /** Aborts the requests of the pool that are in flight. */
  abort(pool: Pool): void {
    for (const request of this.#context.inFlight[pool]) request.abort();
  }
}
