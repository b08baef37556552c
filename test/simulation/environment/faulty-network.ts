import type { Clock } from '../../../src/lib/clock.ts';
import type { NetworkEffect, Network, Request } from '../broker/broker-connection.ts';
import { topics, type NetworkFault } from '../scenario/scenario.ts';
import type { Random } from '../random.ts';
import { unknownSchema } from './registry.ts';

interface FaultyNetworkOptions {
  readonly clock: Clock;
  readonly startedAt: number;
  readonly networkFaults: readonly NetworkFault[];
  readonly random: Random;
  /** The number of the process, from 1. */
  readonly instance: number;
}

/** The network between one process and the broker, with the faults of the scenario. */
export class FaultyNetwork implements Network {
  readonly #options: FaultyNetworkOptions;

  constructor(options: FaultyNetworkOptions) {
    this.#options = options;
  }

  effectOn(request: Request): NetworkEffect {
    for (const fault of this.#currentFaults()) {
      const effect = this.#effectOf(fault, request);
      if (effect !== undefined) return effect;
    }
    return { kind: 'served' };
  }

  latencyMs(): number {
    const slow = this.#currentFaults().find(({ kind }) => kind === 'slow');
    const maxMs = slow?.kind === 'slow' ? slow.latencyMs : 10;
    return this.#options.random.between(1, maxMs);
  }

  #currentFaults(): readonly NetworkFault[] {
    const { clock, startedAt, networkFaults } = this.#options;
    const ms = clock.now() - startedAt;
    return networkFaults.filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);
  }

  #effectOf(fault: NetworkFault, request: Request): NetworkEffect | undefined {
    const { random, instance } = this.#options;
    switch (fault.kind) {
      case 'registry':
        return this.#registryEffect(fault.how, request);
      case 'outage':
        return this.#lost();
      case 'flaky':
        if (random.chance(fault.lost)) return this.#lost();
        return random.chance(fault.unanswered) ? { ...this.#lost(), kind: 'unanswered' } : undefined;
      case 'slow':
        return undefined;
      case 'refused_writes':
        if (request.kind !== 'produce' || request.topic !== fault.topic) return undefined;
        return { kind: 'refused', type: 'NOT_ENOUGH_REPLICAS' };
      case 'refused_commits':
        return request.kind === 'commit' ? { kind: 'refused', type: 'COORDINATOR_LOAD_IN_PROGRESS' } : undefined;
      case 'unread_configurations':
        if (request.kind !== 'fetch' || !request.topics.includes(topics.configurations)) return undefined;
        return fault.instance === instance ? this.#lost() : undefined;
    }
  }

  #registryEffect(how: 'outage' | 'lag', { kind }: Request): NetworkEffect | undefined {
    if (kind !== 'schema') return undefined;
    return how === 'outage' ? this.#lost() : { kind: 'refused', type: unknownSchema };
  }

  #lost(): Extract<NetworkEffect, { kind: 'lost' }> {
    return { kind: 'lost', afterMs: this.#options.random.between(20, 1500) };
  }
}
