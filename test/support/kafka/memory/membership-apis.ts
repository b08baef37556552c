import { BrokerError } from '../../../simulation/broker/errors.ts';
import { api, attempt, inTurn, type Api, type Client, type Served } from './api.ts';
import { array, bytes, int16, int32, nullableString, string, struct, unthrottled } from './fields.ts';
import { isUnknown } from './group-apis.ts';

/** Returns the requests by which clients join a group, stay in it and leave it, and the one that shows its members. */
export function membershipApis(served: Served): readonly Api[] {
  const known = new KnownMembers();
  return [
    joinGroup(served, known),
    syncGroup(served),
    heartbeat(served),
    leaveGroup(served),
    describeGroups(served, known),
  ];
}

/** The protocol of each group and the client of each member, which the memory broker does not keep. */
class KnownMembers {
  readonly #protocols = new Map<string, string>();
  readonly #clients = new Map<string, Client>();

  protocol(groupId: string): string {
    return this.#protocols.get(groupId) ?? '';
  }

  setProtocol(groupId: string, name: string): void {
    this.#protocols.set(groupId, name);
  }

  client(groupId: string, memberId: string): Client {
    return this.#clients.get(`${groupId}/${memberId}`) ?? { id: '', host: '' };
  }

  setClient(groupId: string, memberId: string, client: Client): void {
    this.#clients.set(`${groupId}/${memberId}`, client);
  }
}

interface Protocol {
  readonly name: string;
  readonly metadata: Buffer;
}

/** Kafka's limits of a session in ms, with the shortest one that tests set. */
const [shortestSessionMs, longestSessionMs] = [1000, 1_800_000];

function joinGroup({ broker }: Served, known: KnownMembers): Api {
  /** Returns the protocol of the group, which its first member has chosen. */
  const choose = (groupId: string, protocols: readonly Protocol[]): Protocol => {
    const isFirst = broker.group(groupId).describe().members.length === 0;
    const chosen = isFirst ? protocols[0] : protocols.find(({ name }) => name === known.protocol(groupId));
    if (chosen === undefined) throw new BrokerError('INCONSISTENT_GROUP_PROTOCOL');
    known.setProtocol(groupId, chosen.name);
    return chosen;
  };
  return api({
    key: 11,
    version: 5,
    request: struct({
      groupId: string,
      sessionTimeoutMs: int32,
      rebalanceTimeoutMs: int32,
      memberId: string,
      instanceId: nullableString,
      protocolType: string,
      protocols: array(struct({ name: string, metadata: bytes })),
    }),
    answer: unthrottled(
      struct({
        errorCode: int16,
        generation: int32,
        protocol: string,
        leaderId: string,
        memberId: string,
        members: array(struct({ memberId: string, instanceId: nullableString, memberMetadata: bytes })),
      }),
    ),
    async serve({ groupId, protocols, memberId, ...timeouts }, client) {
      const { errorCode, value } = await attempt(async () => {
        const { sessionTimeoutMs } = timeouts;
        if (sessionTimeoutMs < shortestSessionMs || sessionTimeoutMs > longestSessionMs)
          throw new BrokerError('INVALID_SESSION_TIMEOUT');
        const { metadata } = choose(groupId, protocols);
        return broker.group(groupId).join({ ...timeouts, memberId, metadata });
      });
      const joined = value ?? { memberId, generation: -1, leaderId: '', members: [] };
      known.setClient(groupId, joined.memberId, client);
      const members = joined.members.map((member) => ({ ...member, instanceId: null }));
      return { ...joined, errorCode, protocol: known.protocol(groupId), members };
    },
  });
}

/** The part of a request that names a member. */
const membership = { groupId: string, generation: int32, memberId: string, instanceId: nullableString };

function syncGroup({ broker }: Served): Api {
  return api({
    key: 14,
    version: 3,
    request: struct({ ...membership, assignments: array(struct({ memberId: string, assignment: bytes })) }),
    answer: unthrottled(struct({ errorCode: int16, assignment: bytes })),
    async serve({ groupId, assignments, ...member }) {
      const byMember = new Map(assignments.map(({ memberId, assignment }) => [memberId, assignment]));
      const { errorCode, value } = await attempt(() => broker.group(groupId).sync(member, byMember));
      return { errorCode, assignment: value ?? Buffer.alloc(0) };
    },
  });
}

function heartbeat({ broker }: Served): Api {
  return api({
    key: 12,
    version: 3,
    request: struct(membership),
    answer: unthrottled(struct({ errorCode: int16 })),
    async serve({ groupId, ...member }) {
      const { errorCode } = await attempt(() => broker.group(groupId).heartbeat(member));
      return { errorCode };
    },
  });
}

function leaveGroup({ broker }: Served): Api {
  const member = { memberId: string, instanceId: nullableString };
  return api({
    key: 13,
    version: 3,
    request: struct({ groupId: string, members: array(struct(member)) }),
    answer: unthrottled(struct({ errorCode: int16, members: array(struct({ ...member, errorCode: int16 })) })),
    async serve({ groupId, members }) {
      const answers = await inTurn(members, async (one) => {
        const { errorCode } = await attempt(() => broker.group(groupId).leave(one.memberId));
        return { ...one, errorCode };
      });
      return { errorCode: 0, members: answers };
    },
  });
}

/** The names that Kafka gives the states of a group. */
const stateNames = {
  empty: 'Empty',
  joining: 'PreparingRebalance',
  syncing: 'CompletingRebalance',
  stable: 'Stable',
} as const;

function describeGroups({ broker }: Served, known: KnownMembers): Api {
  const member = struct({ memberId: string, clientId: string, clientHost: string, metadata: bytes, assignment: bytes });
  return api({
    key: 15,
    version: 2,
    request: struct({ groupIds: array(string) }),
    answer: unthrottled(
      struct({
        groups: array(
          struct({
            errorCode: int16,
            groupId: string,
            state: string,
            protocolType: string,
            protocol: string,
            members: array(member),
          }),
        ),
      }),
    ),
    serve({ groupIds }) {
      const groups = groupIds.map((groupId) => {
        const group = broker.group(groupId);
        const { state, members } = group.describe();
        return {
          errorCode: 0,
          groupId,
          state: isUnknown(group) ? 'Dead' : stateNames[state],
          protocolType: 'consumer',
          protocol: known.protocol(groupId),
          members: members.map(({ id, metadata, assignment }) => {
            const client = known.client(groupId, id);
            return { memberId: id, clientId: client.id, clientHost: client.host, metadata, assignment };
          }),
        };
      });
      return { groups };
    },
  });
}
