import { describe, expect, it } from 'vitest';
import { aCertificateDocument, aConfiguration, json, type Document } from '../../support/builders.ts';
import { produce } from '../../support/kafka/records.ts';
import { startPlatform, type Platform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';

const owners = 60;
const partitions = 6;

describe('several instances', () => {
  it(
    'share the partitions, and neither lose nor repeat deliveries when one joins and one leaves',
    { timeout: 120_000 },
    async () => {
      await using platform = await startPlatform({ partitions });
      await platform.configure(...Array.from({ length: owners }, (_, owner) => hookOf(platform, owner)));
      await using first = await runService(platform.environment);
      const producing = produceInSteps(platform, 3000);
      await platform.endpoint.received(500);
      await using second = await runService(platform.environment);
      await platform.endpoint.received(1500);
      await first.stop();
      await producing;
      await platform.endpoint.received(3000);
      await second.stop();

      const ids = platform.endpoint.requests.map(({ body }) => (JSON.parse(body.toString()) as Document)['_id']);
      expect(new Set(ids).size).toBe(3000);
      expect(ids).toHaveLength(3000);
      expect(
        second.log.some(({ event, assignment }) => event === 'consumer.joined' && counts(assignment) === 2 * 3),
      ).toBe(true);
    },
  );

  it('assign the same partition of every topic to the same instance', { timeout: 60_000 }, async () => {
    await using platform = await startPlatform({ partitions });
    await using first = await runService(platform.environment);
    await using second = await runService(platform.environment);
    const joined = await first.logged('consumer.joined', 4);
    const last = new Map(joined.map(({ groupId, assignment }) => [groupId, Object.values(assignment as Assignment)]));
    const assigned = [...last.values()].flat().map((numbers) => numbers.toSorted((one, other) => one - other).join());
    expect(assigned).toHaveLength(4);
    expect(new Set(assigned).size).toBe(1);
    expect(second.log.length).toBeGreaterThan(0);
  });
});

type Assignment = Readonly<Record<string, readonly number[]>>;

function counts(assignment: unknown): number {
  return Object.values(assignment as Assignment).reduce((sum, numbers) => sum + numbers.length, 0);
}

function hookOf({ endpoint }: Platform, owner: number): Document {
  return aConfiguration({ _id: `hook-${owner}`, _ownerId: `owner-${owner}`, url: endpoint.url(`/${owner}`) });
}

async function produceInSteps({ kafka, topics }: Platform, count: number): Promise<void> {
  for (let start = 0; start < count; start += 50) {
    const records = Array.from({ length: 50 }, (_, index) => {
      const number = start + index;
      const document = aCertificateDocument({ _id: `certificate-${number}`, _ownerId: `owner-${number % owners}` });
      return { key: String(document['_ownerId']), value: json(document), partition: number % partitions };
    });
    await produce(kafka, topics.completed, records);
  }
}
