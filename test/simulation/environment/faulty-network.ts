import type { Clock } from '../../../src/lib/clock.ts';
import type { Fate, Network, Request } from '../broker/broker-connection.ts';
import { topics, type Trouble } from '../scenario/scenario.ts';
import type { Random } from '../random.ts';

export interface PlottedNetworkParts {
  readonly clock: Clock;
  readonly startedAt: number;
  readonly troubles: readonly Trouble[];
  readonly random: Random;
  /** The number of the process, from 1. */
  readonly instance: number;
}

/** The way to the brokers as the plot has it. */
export class PlottedNetwork implements Network {
  readonly #parts: PlottedNetworkParts;

  constructor(parts: PlottedNetworkParts) {
    this.#parts = parts;
  }

  fateOf(request: Request): Fate {
    for (const trouble of this.#present()) {
      const fate = this.#fateIn(trouble, request);
      if (fate !== undefined) return fate;
    }
    return { kind: 'served' };
  }

  latencyMs(): number {
    const slow = this.#present().find(({ kind }) => kind === 'slow');
    const mostMs = slow?.kind === 'slow' ? slow.latencyMs : 10;
    return this.#parts.random.between(1, mostMs);
  }

  #present(): readonly Trouble[] {
    const { clock, startedAt, troubles } = this.#parts;
    const ms = clock.now() - startedAt;
    return troubles.filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);
  }

  #fateIn(trouble: Trouble, request: Request): Fate | undefined {
    const { random, instance } = this.#parts;
    switch (trouble.kind) {
      case 'outage':
        return this.#lost();
      case 'flaky':
        if (random.chance(trouble.lost)) return this.#lost();
        return random.chance(trouble.unanswered) ? { ...this.#lost(), kind: 'unanswered' } : undefined;
      case 'slow':
        return undefined;
      case 'refused_writes':
        if (request.kind !== 'produce' || request.topic !== trouble.topic) return undefined;
        return { kind: 'refused', type: 'NOT_ENOUGH_REPLICAS' };
      case 'refused_commits':
        return request.kind === 'commit' ? { kind: 'refused', type: 'COORDINATOR_LOAD_IN_PROGRESS' } : undefined;
      case 'unread_configurations':
        if (request.kind !== 'fetch' || !request.topics.includes(topics.configurations)) return undefined;
        return trouble.instance === instance ? this.#lost() : undefined;
    }
  }

  #lost(): Extract<Fate, { kind: 'lost' }> {
    return { kind: 'lost', afterMs: this.#parts.random.between(20, 1500) };
  }
}
