import { describe, expect, it } from 'vitest';
import { describeTopics, fetchCommits } from '../../../src/kafka/topics/topic-admin.ts';

describe('a broker that reports less', () => {
  const describing = (settings: Readonly<Record<string, string>>): ReturnType<typeof describeTopics> =>
    describeTopics(
      {
        fetchTopicMetadata: async () => ({ topics: [{ name: 'topic', partitions: [] }] }),
        describeConfigs: async () => ({
          throttleTime: 0,
          resources: [
            {
              resourceType: 2,
              resourceName: 'topic',
              errorCode: 0,
              errorMessage: '',
              configEntries: Object.entries(settings).map(([configName, configValue]) => ({
                configName,
                configValue,
                readOnly: false,
                isDefault: false,
                configSource: 1,
                isSensitive: false,
                configSynonyms: [],
              })),
            },
          ],
        }),
      },
      ['topic'],
    );

  it('needs to know the cleanup policy alone', async () => {
    const found = await describing({ 'cleanup.policy': 'compact' });
    expect(found.get('topic')).toMatchObject({ cleanupPolicies: ['compact'], minInsyncReplicas: undefined });
    await expect(describing({ 'retention.ms': '1' })).rejects.toThrow("the brokers don't report cleanup.policy");
  });
});

describe('the commits of a group', () => {
  const failing = (type: string): ReturnType<typeof fetchCommits> =>
    fetchCommits({ fetchOffsets: () => Promise.reject(Object.assign(new Error(type), { type })) }, 'group', ['topic']);

  it('are none when the broker does not know the group', async () => {
    expect(await failing('GROUP_ID_NOT_FOUND')).toEqual([]);
    await expect(failing('NOT_COORDINATOR')).rejects.toThrow('NOT_COORDINATOR');
  });
});
