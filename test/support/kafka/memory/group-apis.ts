import type { CommittedOffset, GroupCoordinator } from '../../../simulation/broker/group-coordinator.ts';
import { BrokerError } from '../../../simulation/broker/errors.ts';
import { api, attempt, inTurn, nodeId, type Api, type Served } from './api.ts';
import {
  array,
  int16,
  int32,
  int64,
  int8,
  nullableArray,
  nullableString,
  string,
  struct,
  unthrottled,
} from './fields.ts';

/** Returns the requests that find groups, and that store and read their offsets. */
export function groupApis(served: Served): readonly Api[] {
  return [findCoordinator(served), offsetCommit(served), offsetFetch(served), listGroups(served), deleteGroups(served)];
}

/** Returns true for a group without members and commits. Kafka does not know such a group. */
export function isUnknown(group: GroupCoordinator): boolean {
  return group.describe().members.length === 0 && group.commits().length === 0;
}

function findCoordinator({ address }: Served): Api {
  return api({
    key: 10,
    version: 2,
    request: struct({ name: string, type: int8 }),
    answer: unthrottled(
      struct({ errorCode: int16, errorMessage: nullableString, nodeId: int32, host: string, port: int32 }),
    ),
    async serve({ type }) {
      const { errorCode } = await attempt(() => {
        if (type !== 0) throw new BrokerError('UNSUPPORTED_VERSION');
      });
      const errorMessage = errorCode === 0 ? null : 'the memory broker has no transactions';
      return { errorCode, errorMessage, nodeId, ...address() };
    },
  });
}

/** Kafka's default of `offset.metadata.max.bytes`. */
const maxMetadataBytes = 4096;

function offsetCommit({ broker }: Served): Api {
  const partition = struct({ partition: int32, offset: int64, metadata: nullableString });
  return api({
    key: 8,
    version: 5,
    request: struct({
      groupId: string,
      generation: int32,
      memberId: string,
      topics: array(struct({ name: string, partitions: array(partition) })),
    }),
    answer: unthrottled(
      struct({
        topics: array(struct({ name: string, partitions: array(struct({ partition: int32, errorCode: int16 })) })),
      }),
    ),
    async serve({ groupId, generation, memberId, topics }) {
      const group = broker.group(groupId);
      const commit = async (offset: CommittedOffset): Promise<number> => {
        const { errorCode } = await attempt(() => {
          broker.log(offset);
          if (Buffer.byteLength(offset.metadata) > maxMetadataBytes) throw new BrokerError('OFFSET_METADATA_TOO_LARGE');
          if (generation < 0 && memberId === '') group.commitWithoutMember([offset]);
          else group.commit({ memberId, generation }, [offset]);
        });
        return errorCode;
      };
      const answers = await inTurn(topics, async ({ name, partitions }) => ({
        name,
        partitions: await inTurn(partitions, async ({ metadata, ...one }) => ({
          partition: one.partition,
          errorCode: await commit({ ...one, topic: name, metadata: metadata ?? '' }),
        })),
      }));
      return { topics: answers };
    },
  });
}

function offsetFetch({ broker }: Served): Api {
  const partition = struct({ partition: int32, offset: int64, metadata: nullableString, errorCode: int16 });
  return api({
    key: 9,
    version: 4,
    request: struct({
      groupId: string,
      topics: nullableArray(struct({ name: string, partitions: array(int32) })),
    }),
    answer: unthrottled(
      struct({ topics: array(struct({ name: string, partitions: array(partition) })), errorCode: int16 }),
    ),
    serve({ groupId, topics }) {
      const group = broker.group(groupId);
      const commits = Map.groupBy(group.commits(), ({ topic }) => topic);
      const all = [...commits].map(([name, found]) => ({ name, partitions: found.map((commit) => commit.partition) }));
      const answers = (topics ?? all).map(({ name, partitions }) => ({
        name,
        partitions: partitions.map((one) => {
          const { offset = -1, metadata = '' } = group.committed(name, one) ?? {};
          return { partition: one, offset, metadata, errorCode: 0 };
        }),
      }));
      return { topics: answers, errorCode: 0 };
    },
  });
}

function listGroups({ broker }: Served): Api {
  return api({
    key: 16,
    version: 2,
    request: struct({}),
    answer: unthrottled(struct({ errorCode: int16, groups: array(struct({ groupId: string, protocolType: string })) })),
    serve() {
      const known = broker.groupIds().filter((groupId) => !isUnknown(broker.group(groupId)));
      return { errorCode: 0, groups: known.map((groupId) => ({ groupId, protocolType: 'consumer' })) };
    },
  });
}

function deleteGroups({ broker }: Served): Api {
  return api({
    key: 42,
    version: 1,
    request: struct({ groupIds: array(string) }),
    answer: unthrottled(struct({ groups: array(struct({ groupId: string, errorCode: int16 })) })),
    async serve({ groupIds }) {
      const groups = await inTurn(groupIds, async (groupId) => {
        const { errorCode } = await attempt(() => {
          const group = broker.group(groupId);
          if (isUnknown(group)) throw new BrokerError('GROUP_ID_NOT_FOUND');
          if (group.describe().members.length > 0) throw new BrokerError('NON_EMPTY_GROUP');
          broker.deleteGroup(groupId);
        });
        return { groupId, errorCode };
      });
      return { groups };
    },
  });
}
