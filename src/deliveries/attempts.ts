import { SwapList } from '../lib/swap-list.ts';
import type { Clock } from '../lib/clock.ts';
import type { Directory } from '../webhooks/webhook.ts';
import type { Delivery, Pool } from './delivery.ts';
import type { Gate, Permit } from './gates/gate.ts';
import type { Gates } from './gates/gates.ts';
import { lookUp } from './look-up.ts';
import type { Outcome, RequestOutcome } from './outcome.ts';
import type { RequestHead, RequestHeads } from './request.ts';

/** A request ready to go. */
export interface PreparedRequest {
  readonly head: RequestHead;
  /** Names and values in turn, for this delivery alone. */
  readonly extraHeaders: readonly string[];
  readonly body: Buffer;
}

export interface InFlight {
  /** Settled at the response head, within the delivery timeout. Never rejects. */
  readonly outcome: Promise<RequestOutcome>;
  /** Breaks the request off: its outcome is `draining`, unless it has one already. */
  abort(): void;
}

export interface Sender {
  /** At once, without a limit: how many are out is for the gates to say. */
  send(request: PreparedRequest): InFlight;
}

export interface AttemptResult {
  readonly outcome: Outcome;
  /** When the request went out, or was refused. */
  readonly startedAt: number;
}

/** Told while a delivery waits for others: it takes nothing of this process then. */
export interface WaitTracking {
  markWaiting(): void;
  /** It goes on. */
  markActive(): void;
}

export interface AttemptsOptions {
  readonly directory: Directory;
  readonly gates: Gates;
  readonly http: Sender;
  readonly heads: RequestHeads;
  readonly clock: Clock;
}

/** One attempt at a delivery, the first or a later one: look its webhook up, wait for its gate, send. */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #inFlight: Readonly<Record<Pool, SwapList<InFlight>>> = { first: new SwapList(), retry: new SwapList() };

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** Sets the delivery aside while it waits for an endpoint that is late or failed last. */
  async attempt(delivery: Delivery, pool: Pool, waits: WaitTracking): Promise<AttemptResult> {
    const { directory, gates, clock } = this.#options;
    const found = lookUp(delivery, directory);
    const entering = found.kind === 'found' ? gates.acquire(found.webhook, pool) : found;
    const mayHang = found.kind === 'found' && gates.isSuspect(found.webhook);
    let pass: Permit | undefined;
    let outcome: RequestOutcome | undefined;
    if (mayHang) waits.markWaiting();
    try {
      const entry = await entering;
      const startedAt = clock.now();
      if (entry.kind === 'refused') return { outcome: entry.outcome, startedAt };
      pass = entry;
      // The configuration may have changed while the delivery waited: what counts is how it stands now.
      const current = lookUp(delivery, directory);
      if (current.kind === 'refused') return { outcome: current.outcome, startedAt };
      entry.gate.updateWebhook(current.webhook, startedAt);
      const inFlight = this.#send(delivery, entry.gate);
      const place = this.#inFlight[pool].add(inFlight);
      outcome = await inFlight.outcome;
      this.#inFlight[pool].delete(place);
      return { outcome, startedAt };
    } finally {
      pass?.release(outcome);
      if (mayHang) waits.markActive();
    }
  }

  /** Breaks off the pool's requests that are out. */
  abort(pool: Pool): void {
    for (const inFlight of this.#inFlight[pool]) inFlight.abort();
  }

  #send(delivery: Delivery, gate: Gate): InFlight {
    const { http, heads } = this.#options;
    const head = gate.head((webhook) => heads.headOf(webhook.endpoint()));
    return http.send({ head, extraHeaders: heads.headersOf(delivery, head), body: delivery.body });
  }
}
