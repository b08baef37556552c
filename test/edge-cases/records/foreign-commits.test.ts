import { describe, expect, it } from 'vitest';
import { encodeMetadata, logMark, type LogMark } from '../../../src/kafka/consumer/commits/commit-metadata.ts';
import { maxMetadataBytes } from '../../../src/kafka/consumer/commits/settled-offsets.ts';
import type { Document } from '../../support/builders.ts';
import { connectAdmin } from '../../support/kafka/client.ts';
import { commitOffset } from '../../support/kafka/commits.ts';
import { certificates, webhookAt, startPlatform, type Platform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';

const position = 3;
const otherTopic = 'ffffffffffffffffffffffffffffffff';

/** Six records, and a commit at the fourth that names the fifth as settled. */
const cases: readonly {
  readonly what: string;
  readonly mark: (ownCluster: string) => LogMark;
  readonly delivered: readonly number[];
}[] = [
  {
    what: 'starts at an offset that was mirrored from another cluster, without the ranges above it',
    mark: () => logMark('another cluster', otherTopic),
    delivered: [3, 4, 5],
  },
  {
    what: 'starts at the first record if the topic was recreated in this cluster',
    mark: (ownCluster) => logMark(ownCluster, otherTopic),
    delivered: [0, 1, 2, 3, 4, 5],
  },
  {
    what: 'starts at the first record if an earlier version has committed for a topic with another id',
    mark: () => logMark(undefined, otherTopic),
    delivered: [0, 1, 2, 3, 4, 5],
  },
];

describe('a service with a commit that it did not write itself', () => {
  it.each(cases)('$what', async ({ mark, delivered }) => {
    await using platform = await startPlatform();
    await platform.configure(webhookAt(platform, '/a'));
    await platform.complete(...certificates(6));
    const written = { settled: [{ start: 4, end: 5 }], mark: mark(await clusterId(platform)) };
    await commit(platform, encodeMetadata(position, written, maxMetadataBytes));
    await using service = await runService(platform.environment);
    await platform.endpoint.received(delivered.length);
    await service.stop();
    expect(platform.endpoint.requests).toHaveLength(delivered.length);
    expect(idsOf(platform)).toEqual(new Set(delivered.map((index) => certificates(6)[index]?.['_id'])));
  });
});

async function clusterId({ kafka }: Platform): Promise<string> {
  await using admin = await connectAdmin(kafka);
  return (await admin.describeCluster()).clusterId;
}

async function commit({ kafka, environment, topics }: Platform, metadata: string): Promise<void> {
  const group = environment['KAFKA_GROUP_ID'] ?? '';
  await commitOffset(kafka, { group, topic: topics.completed, partition: 0, offset: position, metadata });
}

function idsOf({ endpoint }: Platform): ReadonlySet<unknown> {
  return new Set(endpoint.requests.map(({ body }) => (JSON.parse(body.toString()) as Document)['_id']));
}
