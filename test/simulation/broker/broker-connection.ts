import type { ProcessClock } from '../time/process-clock.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { BrokerError, ConnectionLostError } from './errors.ts';

/** What a process asks of the brokers. */
export type Request =
  | { readonly kind: 'metadata' }
  | { readonly kind: 'fetch'; readonly topics: readonly string[] }
  | { readonly kind: 'offsets' }
  | { readonly kind: 'produce'; readonly topic: string }
  | { readonly kind: 'join' | 'sync' | 'heartbeat' | 'commit' | 'leave'; readonly groupId: string };

/** What becomes of a request. */
export type Fate =
  | { readonly kind: 'served' }
  /** It never arrives, and that takes so long to notice. */
  | { readonly kind: 'lost'; readonly afterMs: number }
  /** It is carried out, and nobody hears of it. */
  | { readonly kind: 'unanswered'; readonly afterMs: number }
  | { readonly kind: 'refused'; readonly type: string };

export interface Network {
  fateOf(request: Request): Fate;
  /** One way. */
  latencyMs(request: Request): number;
}

export const perfectNetwork: Network = { fateOf: () => ({ kind: 'served' }), latencyMs: () => 1 };

/** The way from one process to the brokers and back. Nothing comes back to a process that is no more. */
export class Wire {
  readonly clock: ProcessClock;
  readonly #world: Clock;
  readonly #network: Network;
  /** Requests of a process arrive in order. */
  #arrivedAt = 0;

  constructor(world: Clock, clock: ProcessClock, network: Network) {
    this.#world = world;
    this.clock = clock;
    this.#network = network;
  }

  request<Answer>(request: Request, serve: () => Answer | Promise<Answer>): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const fate = this.#network.fateOf(request);
    const arriveInMs = this.#arriveInMs(request);
    const answer = (run: () => void): void => {
      this.#world.after(this.#network.latencyMs(request), () => this.clock.run(run));
    };
    const failLater = (ms: number): void => void this.clock.after(ms, () => reject(new ConnectionLostError()));
    const refuse = (error: unknown): void => answer(() => reject(error));
    switch (fate.kind) {
      case 'served':
        this.#world.after(arriveInMs, () => {
          attempt(serve).then((result) => answer(() => resolve(result)), refuse);
        });
        break;
      case 'lost':
        failLater(fate.afterMs);
        break;
      case 'unanswered':
        // Whatever comes of it, this process hears nothing.
        this.#world.after(arriveInMs, () => void attempt(serve).catch(() => undefined));
        failLater(arriveInMs + fate.afterMs);
        break;
      case 'refused':
        this.#world.after(arriveInMs, () => refuse(new BrokerError(fate.type)));
    }
    return promise;
  }

  #arriveInMs(request: Request): number {
    const now = this.#world.now();
    this.#arrivedAt = Math.max(this.#arrivedAt, now + this.#network.latencyMs(request));
    return this.#arrivedAt - now;
  }
}

async function attempt<Answer>(serve: () => Answer | Promise<Answer>): Promise<Answer> {
  return serve();
}
