import { api, attempt, inTurn, nodeId, type Api, type Served } from './api.ts';
import {
  array,
  boolean,
  compactArray,
  compactNullableArray,
  compactNullableString,
  compactString,
  flexible,
  int16,
  int32,
  nullableArray,
  nullableString,
  string,
  struct,
  unthrottled,
  uuid,
} from './fields.ts';

/** Returns the request for topics and brokers: in the version of kafkajs, and in the one that the service asks for topic ids. */
export function metadataApis(served: Served): readonly Api[] {
  return [metadata(served), metadataWithIds(served)];
}

const noId = '0'.repeat(32);
/** All operations of a topic, as a broker without an authorizer answers. */
const everyOperation = 0b1_1111_1111_1000;
/** The operations of a cluster, when the client does not ask for them. */
const notAsked = -(2 ** 31);

/** One topic as both versions describe it. */
async function describe({ broker }: Served, name: string) {
  const { errorCode, value } = await attempt(() => ({ id: broker.topicId(name), logs: broker.partitions(name) }));
  const partitions = (value?.logs ?? []).map(({ partition }) => ({
    errorCode: 0,
    partition,
    leader: nodeId,
    leaderEpoch: 0,
    replicas: [nodeId],
    inSync: [nodeId],
    offline: [],
  }));
  return { errorCode, name, id: value?.id ?? noId, isInternal: false, partitions, operations: everyOperation };
}

function cluster({ address, clusterId }: Served) {
  return { brokers: [{ nodeId, ...address(), rack: null }], clusterId, controllerId: nodeId };
}

function metadata(served: Served): Api {
  const partition = struct({
    errorCode: int16,
    partition: int32,
    leader: int32,
    replicas: array(int32),
    inSync: array(int32),
    offline: array(int32),
  });
  return api({
    key: 3,
    version: 6,
    request: struct({ topics: nullableArray(string), allowsCreation: boolean }),
    answer: unthrottled(
      struct({
        brokers: array(struct({ nodeId: int32, host: string, port: int32, rack: nullableString })),
        clusterId: nullableString,
        controllerId: int32,
        topics: array(struct({ errorCode: int16, name: string, isInternal: boolean, partitions: array(partition) })),
      }),
    ),
    async serve({ topics }) {
      const names = topics ?? served.broker.topics();
      return { ...cluster(served), topics: await inTurn(names, (name) => describe(served, name)) };
    },
  });
}

function metadataWithIds(served: Served): Api {
  const broker = flexible({ nodeId: int32, host: compactString, port: int32, rack: compactNullableString });
  const partition = flexible({
    errorCode: int16,
    partition: int32,
    leader: int32,
    leaderEpoch: int32,
    replicas: compactArray(int32),
    inSync: compactArray(int32),
    offline: compactArray(int32),
  });
  return api({
    key: 3,
    version: 10,
    isFlexible: true,
    request: flexible({
      topics: compactNullableArray(flexible({ id: uuid, name: compactString })),
      allowsCreation: boolean,
      wantsClusterOperations: boolean,
      wantsTopicOperations: boolean,
    }),
    answer: unthrottled(
      flexible({
        brokers: compactArray(broker),
        clusterId: compactNullableString,
        controllerId: int32,
        topics: compactArray(
          flexible({
            errorCode: int16,
            name: compactString,
            id: uuid,
            isInternal: boolean,
            partitions: compactArray(partition),
            operations: int32,
          }),
        ),
        operations: int32,
      }),
    ),
    async serve({ topics }) {
      const names = topics?.map(({ name }) => name) ?? served.broker.topics();
      const described = await inTurn(names, (name) => describe(served, name));
      return { ...cluster(served), topics: described, operations: notAsked };
    },
  });
}
