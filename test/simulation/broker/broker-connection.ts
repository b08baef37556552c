import type { ProcessClock } from '../time/process-clock.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { BrokerError, ConnectionLostError } from './errors.ts';

/** A request of a process to the brokers. */
export type Request =
  | { readonly kind: 'metadata' }
  | { readonly kind: 'fetch'; readonly topics: readonly string[] }
  | { readonly kind: 'offsets' }
  /** Goes to the schema registry, which shares the network of the brokers. */
  | { readonly kind: 'schema' }
  | { readonly kind: 'produce'; readonly topic: string }
  | { readonly kind: 'join' | 'sync' | 'heartbeat' | 'commit' | 'leave'; readonly groupId: string };

/** The effect of the network on one request. */
export type NetworkEffect =
  | { readonly kind: 'served' }
  /** The request never arrives. The process notices after `afterMs`. */
  | { readonly kind: 'lost'; readonly afterMs: number }
  /** The request is carried out, but the response never arrives. */
  | { readonly kind: 'unanswered'; readonly afterMs: number }
  | { readonly kind: 'refused'; readonly type: string };

export interface Network {
  effectOn(request: Request): NetworkEffect;
  /** The latency of one direction. */
  latencyMs(request: Request): number;
}

export const perfectNetwork: Network = { effectOn: () => ({ kind: 'served' }), latencyMs: () => 1 };

/**
 * The connection of one process to the brokers. It applies latency and the faults that `Network` chooses.
 *
 * | Effect       | The broker              | The process                                                   |
 * | ------------ | ----------------------- | ------------------------------------------------------------- |
 * | `served`     | carries out the request | gets the response or the broker's error                       |
 * | `lost`       | never gets it           | gets a `ConnectionLostError` after `afterMs`                  |
 * | `unanswered` | carries out the request | gets a `ConnectionLostError` `afterMs` after the request came |
 * | `refused`    | never gets it           | gets a `BrokerError` of that type                             |
 *
 * Requests travel on the global clock, responses end on the clock of the process. A request that was sent is carried
 * out even if its process is killed. A killed or stalled process sees no response.
 * Requests of one process arrive in the order in which they were sent; commits depend on that.
 */
export class BrokerConnection {
  readonly clock: ProcessClock;
  readonly #globalClock: Clock;
  readonly #network: Network;
  /** The arrival time of the last request: a later one must not overtake it. */
  #arrivedAt = 0;

  constructor(globalClock: Clock, clock: ProcessClock, network: Network) {
    this.#globalClock = globalClock;
    this.clock = clock;
    this.#network = network;
  }

  request<Answer>(request: Request, serve: () => Answer | Promise<Answer>): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const effect = this.#network.effectOn(request);
    const arriveInMs = this.#arriveInMs(request);
    const answer = (run: () => void): void => {
      this.#globalClock.after(this.#network.latencyMs(request), () => this.clock.run(run));
    };
    const failLater = (ms: number): void => void this.clock.after(ms, () => reject(new ConnectionLostError()));
    const refuse = (error: unknown): void => answer(() => reject(error));
    switch (effect.kind) {
      case 'served':
        this.#globalClock.after(arriveInMs, () => {
          attempt(serve).then((result) => answer(() => resolve(result)), refuse);
        });
        break;
      case 'lost':
        failLater(effect.afterMs);
        break;
      case 'unanswered':
        // The process sees neither the result nor an error of the broker.
        this.#globalClock.after(arriveInMs, () => void attempt(serve).catch(() => undefined));
        failLater(arriveInMs + effect.afterMs);
        break;
      case 'refused':
        this.#globalClock.after(arriveInMs, () => refuse(new BrokerError(effect.type)));
    }
    return promise;
  }

  #arriveInMs(request: Request): number {
    const now = this.#globalClock.now();
    this.#arrivedAt = Math.max(this.#arrivedAt, now + this.#network.latencyMs(request));
    return this.#arrivedAt - now;
  }
}

async function attempt<Answer>(serve: () => Answer | Promise<Answer>): Promise<Answer> {
  return serve();
}
