import type { Clock } from '../../../src/lib/clock.ts';
import type { NetworkEffect, Network, Request } from '../broker/broker-connection.ts';
import { topics, type ConnectionUse, type NetworkFault } from '../scenario/scenario.ts';
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

/** Those of the service's clients, in ms. */
const requestTimeoutsMs: Readonly<Record<ConnectionUse, number>> = {
  reading: 5_000,
  group: 5_000,
  writing: 15_000,
  asking: 5_000,
};

/** The network between one process and the broker, with the faults of the scenario. */
export class FaultyNetwork implements Network {
  readonly #options: FaultyNetworkOptions;
  readonly #startedAt: number;
  /** When each connection was or will be replaced. The others are as old as the process. */
  readonly #openedAt = new Map<string, number>();

  constructor(options: FaultyNetworkOptions) {
    this.#options = options;
    this.#startedAt = this.#now();
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

  #now(): number {
    const { clock, startedAt } = this.#options;
    return clock.now() - startedAt;
  }

  #currentFaults(): readonly NetworkFault[] {
    const { networkFaults, instance } = this.#options;
    const ms = this.#now();
    const isOurs = (fault: NetworkFault): boolean => !('instance' in fault) || fault.instance === instance;
    return networkFaults.filter((fault) => fault.fromMs <= ms && ms < fault.toMs && isOurs(fault));
  }

  #effectOf(fault: NetworkFault, request: Request): NetworkEffect | undefined {
    const { random } = this.#options;
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
      case 'frozen':
        return this.#frozenEffect(fault, request);
      case 'refused_writes':
        if (request.kind !== 'produce' || request.topic !== fault.topic) return undefined;
        return { kind: 'refused', type: 'NOT_ENOUGH_REPLICAS' };
      case 'refused_commits':
        return request.kind === 'commit' ? { kind: 'refused', type: 'GROUP_LOAD_IN_PROGRESS' } : undefined;
      case 'unread_configurations':
        if (request.kind !== 'fetch' || !request.topics.includes(topics.configurations)) return undefined;
        return this.#lost();
    }
  }

  /** A request that times out closes its connection, with all that waits there. */
  #frozenEffect({ fromMs, connections }: Extract<NetworkFault, { kind: 'frozen' }>, request: Request) {
    const connection = connectionOf(request);
    if (connection === undefined || (connections !== 'all' && connection.use !== connections)) return undefined;
    const now = this.#now();
    const openedAt = this.#openedAt.get(connection.name) ?? this.#startedAt;
    if (openedAt > fromMs && openedAt <= now) return undefined;
    const replacedAt = openedAt > now ? openedAt : now + requestTimeoutsMs[connection.use];
    this.#openedAt.set(connection.name, replacedAt);
    const isCarriedOut = this.#options.random.chance(0.3);
    return { kind: isCarriedOut ? 'unanswered' : 'lost', afterMs: replacedAt - now } as const;
  }

  #registryEffect(how: 'outage' | 'lag', { kind }: Request): NetworkEffect | undefined {
    if (kind !== 'schema') return undefined;
    return how === 'outage' ? this.#lost() : { kind: 'refused', type: unknownSchema };
  }

  #lost(): Extract<NetworkEffect, { kind: 'lost' }> {
    return { kind: 'lost', afterMs: this.#options.random.between(20, 1500) };
  }
}

/** Returns the connection that carries a request, as the clients of the service share them. Undefined if it does not go to Kafka. */
function connectionOf(request: Request): { readonly name: string; readonly use: ConnectionUse } | undefined {
  switch (request.kind) {
    case 'schema':
      return undefined;
    case 'fetch':
      return { name: `reading ${request.topics.join()}`, use: 'reading' };
    case 'produce':
      return { name: `writing ${request.topic}`, use: 'writing' };
    case 'metadata':
    case 'offsets':
      return { name: request.kind, use: 'asking' };
    case 'join':
    case 'sync':
    case 'heartbeat':
    case 'commit':
    case 'leave':
      return { name: `group ${request.groupId}`, use: 'group' };
  }
}
