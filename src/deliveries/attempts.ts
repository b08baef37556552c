import { SwapList } from '../lib/swap-list.ts';
import type { Clock } from '../lib/clock.ts';
import type { Directory, Webhook } from '../webhooks/webhook.ts';
import type { Delivery, Pool } from './delivery.ts';
import type { DeliveryProgress } from './delivery-cursor.ts';
import type { Permit } from './gates/entry.ts';
import type { Gates } from './gates/gates.ts';
import { lookUp } from './look-up.ts';
import type { Outcome, RequestOutcome } from './outcome.ts';
import type { RequestHead, RequestHeads } from './request.ts';

/** A request that is ready to be sent. */
export interface PreparedRequest {
  readonly head: RequestHead;
  /** The headers of this delivery alone; names and values alternate. */
  readonly extraHeaders: readonly string[];
  readonly body: Buffer;
}

export interface InFlight {
  /** Resolves with the response head, or when the delivery timeout ends. Never rejects. */
  readonly outcome: Promise<RequestOutcome>;
  /** Aborts the request. Its outcome is then `draining`, unless it has one already. */
  abort(): void;
}

export interface ExceededListener {
  /** Called if the endpoint exceeds a limit after its 2xx, so that its circuit can count a failure. */
  withdraw(): void;
}

export interface Sender {
  /** Sends at once, without a limit of its own. The gates limit the number of requests. */
  send(request: PreparedRequest, listener?: ExceededListener): InFlight;
}

export interface AttemptResult {
  readonly outcome: Outcome;
  /** The wall time when the request was sent, or refused. */
  readonly startedAt: number;
  /** The time from then until the outcome was known. */
  readonly durationMs: number;
}

interface AttemptsOptions {
  readonly directory: Directory;
  readonly gates: Gates;
  readonly http: Sender;
  readonly heads: RequestHeads;
  readonly clock: Clock;
}

/**
 * Makes one attempt at a delivery, the first or a later one. Owns the requests in flight, separately for each pool.
 *
 * 1. Looks up the webhook. Without an active webhook the outcome is a refusal, and no request is made.
 * 2. Acquires a permit from the endpoint's gate. This may take up to `DELIVERY_TIMEOUT`, or end in a refusal.
 * 3. Looks up the webhook again, because its configuration may have changed during the wait.
 * 4. Sends the request and waits for its outcome.
 * 5. Releases the permit with the outcome, or with undefined when no request was sent.
 *
 * The pipeline calls `attempt`. The intakes call `abort` when a drained pool has used up its time.
 *
 * Promises:
 * - Each permit is released exactly once, also when building or sending the request throws.
 * - After `abort`, each request of the pool resolves with `draining`, unless its outcome was known before.
 *
 * Removing one of these causes:
 * - the second lookup: a delivery goes to an old URL, or to a webhook that was removed during the wait.
 * - `finally`: an exception keeps a part of the endpoint's and the pool's capacity for ever.
 *
 * `attempt` is one function on purpose. Each async function more would keep a promise alive for as long as an endpoint
 * hangs.
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #inFlight: Readonly<Record<Pool, SwapList<InFlight>>> = { first: new SwapList(), retry: new SwapList() };

  readonly #createHead = (webhook: Webhook): RequestHead => this.#options.heads.headOf(webhook.endpoint());

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  async attempt(delivery: Delivery, pool: Pool, progress: DeliveryProgress): Promise<AttemptResult> {
    const { directory, gates, clock } = this.#options;
    const found = lookUp(delivery, directory);
    const acquiring = found.kind === 'found' ? gates.acquire(found.webhook, pool, progress) : found;
    let permit: Permit | undefined;
    let outcome: RequestOutcome | undefined;
    try {
      // A permit at once needs no promise.
      const entry = acquiring instanceof Promise ? await acquiring : acquiring;
      const startedAt = clock.now();
      const sentAt = clock.monotonic();
      if (entry.kind === 'refused') return { outcome: entry.outcome, startedAt, durationMs: 0 };
      permit = entry;
      const current = lookUp(delivery, directory);
      if (current.kind === 'refused') return { outcome: current.outcome, startedAt, durationMs: 0 };
      permit.gate.updateWebhook(current.webhook, sentAt);
      const request = this.#send(delivery, permit);
      const listed = this.#inFlight[pool].add(request);
      outcome = await request.outcome;
      this.#inFlight[pool].delete(listed);
      return { outcome, startedAt, durationMs: Math.round(clock.monotonic() - sentAt) };
    } finally {
      permit?.release(outcome);
    }
  }

  /** Aborts the requests of the pool that are in flight. */
  abort(pool: Pool): void {
    for (const request of this.#inFlight[pool]) request.abort();
  }

  #send(delivery: Delivery, permit: Permit): InFlight {
    const { http, heads } = this.#options;
    const head = permit.gate.head(this.#createHead);
    return http.send({ head, extraHeaders: heads.headersOf(delivery, head), body: delivery.body }, permit);
  }
}
