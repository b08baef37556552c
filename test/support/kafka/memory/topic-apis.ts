import { BrokerError } from '../../../simulation/broker/errors.ts';
import { api, attempt, inTurn, type Api, type Served } from './api.ts';
import {
  array,
  boolean,
  int16,
  int32,
  int8,
  nullableArray,
  nullableString,
  string,
  struct,
  unthrottled,
} from './fields.ts';
import { parse } from './topic-settings.ts';

/** Returns the requests that change topics, and describe their settings. */
export function topicApis(served: Served): readonly Api[] {
  return [
    createTopics(served),
    deleteTopics(served),
    createPartitions(served),
    describeConfigs(served),
    alterConfigs(served),
  ];
}

const settingEntry = struct({ name: string, value: nullableString });
const assignment = struct({ partition: int32, brokers: array(int32) });
const namedError = struct({ name: string, errorCode: int16, errorMessage: nullableString });

function createTopics({ broker, settings }: Served): Api {
  return api({
    key: 19,
    version: 3,
    request: struct({
      topics: array(
        struct({
          name: string,
          partitions: int32,
          replicas: int16,
          assignments: array(assignment),
          settings: array(settingEntry),
        }),
      ),
      timeoutMs: int32,
      validateOnly: boolean,
    }),
    answer: unthrottled(struct({ topics: array(namedError) })),
    async serve({ topics, validateOnly }) {
      const answers = await inTurn(topics, async (wanted) => {
        const { name, partitions, replicas } = wanted;
        const { errorCode } = await attempt(() => {
          if (!/^[\w.\-]{1,249}$/v.test(name)) throw new BrokerError('INVALID_TOPIC_EXCEPTION');
          if (broker.topics().includes(name)) throw new BrokerError('TOPIC_ALREADY_EXISTS');
          if (partitions === 0 || partitions < -1) throw new BrokerError('INVALID_PARTITIONS');
          if (replicas !== 1 && replicas !== -1) throw new BrokerError('INVALID_REPLICATION_FACTOR');
          parse(wanted.settings);
          if (validateOnly) return;
          settings.set(name, wanted.settings);
          broker.createTopic(name, Math.max(partitions, 1));
        });
        return { name, errorCode, errorMessage: null };
      });
      return { topics: answers };
    },
  });
}

function deleteTopics({ broker, settings }: Served): Api {
  return api({
    key: 20,
    version: 1,
    request: struct({ names: array(string), timeoutMs: int32 }),
    answer: unthrottled(struct({ topics: array(struct({ name: string, errorCode: int16 })) })),
    async serve({ names }) {
      const answers = await inTurn(names, async (name) => {
        const { errorCode } = await attempt(() => {
          broker.partitions(name);
          broker.deleteTopic(name);
          settings.forget(name);
          for (const groupId of broker.groupIds()) broker.group(groupId).forgetTopic(name);
        });
        return { name, errorCode };
      });
      return { topics: answers };
    },
  });
}

function createPartitions({ broker }: Served): Api {
  return api({
    key: 37,
    version: 1,
    request: struct({
      topics: array(struct({ name: string, count: int32, assignments: nullableArray(array(int32)) })),
      timeoutMs: int32,
      validateOnly: boolean,
    }),
    answer: unthrottled(struct({ topics: array(namedError) })),
    async serve({ topics, validateOnly }) {
      const answers = await inTurn(topics, async ({ name, count }) => {
        const { errorCode } = await attempt(() => {
          const more = count - broker.partitions(name).length;
          if (more <= 0) throw new BrokerError('INVALID_PARTITIONS');
          for (let left = validateOnly ? 0 : more; left > 0; left -= 1) broker.addPartition(name);
        });
        return { name, errorCode, errorMessage: null };
      });
      return { topics: answers };
    },
  });
}

/** The type of a resource that is a topic. */
const topicResource = 2;
/** The sources of a setting: set for the topic, or Kafka's default. */
const [topicSource, defaultSource] = [1, 5];

const resourceError = { errorCode: int16, errorMessage: nullableString, type: int8, name: string };

function describeConfigs({ broker, settings }: Served): Api {
  const setting = struct({
    name: string,
    value: nullableString,
    isReadOnly: boolean,
    source: int8,
    isSensitive: boolean,
    synonyms: array(struct({ name: string, value: nullableString, source: int8 })),
  });
  return api({
    key: 32,
    version: 2,
    request: struct({
      resources: array(struct({ type: int8, name: string, names: nullableArray(string) })),
      includeSynonyms: boolean,
    }),
    answer: unthrottled(struct({ resources: array(struct({ ...resourceError, settings: array(setting) })) })),
    async serve({ resources }) {
      const answers = await inTurn(resources, async ({ type, name, names }) => {
        const { errorCode, value = [] } = await attempt(() => {
          if (type !== topicResource) throw new BrokerError('INVALID_REQUEST');
          broker.partitions(name);
          return settings.list(name, names).map((entry) => ({
            name: entry.name,
            value: entry.value,
            isReadOnly: false,
            source: entry.isDefault ? defaultSource : topicSource,
            isSensitive: false,
            synonyms: [],
          }));
        });
        return { errorCode, errorMessage: null, type, name, settings: value };
      });
      return { resources: answers };
    },
  });
}

function alterConfigs({ broker, settings }: Served): Api {
  return api({
    key: 33,
    version: 1,
    request: struct({
      resources: array(struct({ type: int8, name: string, settings: array(settingEntry) })),
      validateOnly: boolean,
    }),
    answer: unthrottled(struct({ resources: array(struct(resourceError)) })),
    async serve({ resources, validateOnly }) {
      const answers = await inTurn(resources, async ({ type, name, settings: entries }) => {
        const { errorCode } = await attempt(() => {
          if (type !== topicResource) throw new BrokerError('INVALID_REQUEST');
          broker.partitions(name);
          parse(entries);
          if (!validateOnly) settings.set(name, entries);
        });
        return { errorCode, errorMessage: null, type, name };
      });
      return { resources: answers };
    },
  });
}
