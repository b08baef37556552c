import { describe, expect, it } from 'vitest';
import { aCertificateDocument, json, type Document } from '../../support/builders.ts';
import { later, status } from '../../support/endpoints/answers.ts';
import { produce } from '../../support/kafka/records.ts';
import { startPlatform, webhookAt, type Platform } from '../../support/service/platform.ts';
import { runService, type LogLine, type ServiceUnderTest } from '../../support/service/service-under-test.ts';

const partitions = 6;
/** One owner a partition. */
const owners = 12;

describe('several instances', () => {
  it('share the partitions of all topics, and lose and repeat nothing when one joins and one leaves', async () => {
    await using platform = await startPlatform({ partitions });
    const { endpoint } = platform;
    for (let owner = 0; owner < owners; owner += 1) endpoint.script(`/${owner}`, later(100, status(200)));
    await platform.configure(
      ...Array.from({ length: owners }, (_, owner) => webhookAt(platform, `/${owner}`, { _ownerId: `owner-${owner}` })),
    );
    await using first = await runService(platform.environment);
    const traffic = startTraffic(platform);
    await endpoint.received(2 * owners);
    await using second = await runService(platform.environment);
    const [assigned, ...others] = [...lastAssignments(await first.logged('consumer.joined', 4))];
    await endpoint.received(endpoint.requests.length + 2 * owners);
    await first.stop();
    await endpoint.received(endpoint.requests.length + 2 * owners);
    const written = await traffic.stop();
    await endpoint.received(written);
    await second.stop();

    // The same three partitions of each topic in both groups.
    expect(assigned).toHaveLength(partitions / 2);
    for (const other of others) expect(other).toEqual(assigned);
    expect(lastAssignments(await second.logged('consumer.joined', 2))).toHaveLength(others.length + 1);
    const ids = endpoint.requests.map(({ body }) => String((JSON.parse(body.toString()) as Document)['_id']));
    expect(new Set(ids).size).toBe(written);
    // A request that outlasts the time for a rebalance is aborted. Only such a delivery may be repeated.
    const repeated = ids.filter((id, index) => ids.indexOf(id) < index);
    expect(repeated.filter((id) => !abortedIn(first, second).has(id))).toEqual([]);
  });
});

/** Returns the partitions of each topic as the last join of each group assigned them. */
function lastAssignments(joins: readonly LogLine[]): readonly (readonly number[])[] {
  const last = new Map(joins.map(({ groupId, assignment }) => [groupId, assignment]));
  return [...last.values()]
    .flatMap((assignment) => Object.values(assignment as Readonly<Record<string, readonly number[]>>))
    .map((numbers) => numbers.toSorted((one, other) => one - other));
}

/** Returns the certificates whose deliveries were handed over before their result was known. */
function abortedIn(...services: readonly ServiceUnderTest[]): ReadonlySet<unknown> {
  const lines = services.flatMap(({ log }) => log);
  return new Set(lines.filter(({ outcome }) => outcome === 'draining').map(({ certificateId }) => certificateId));
}

/** Writes one certificate for each owner, again and again, each time after those before the last ones have arrived. */
function startTraffic({ endpoint, kafka, topics }: Platform): { readonly stop: () => Promise<number> } {
  const stopping = new AbortController();
  let written = 0;
  const writing = (async () => {
    while (!stopping.signal.aborted) {
      const start = written;
      const records = Array.from({ length: owners }, (_, owner) => ({
        value: json(aCertificateDocument({ _id: `certificate-${start + owner}`, _ownerId: `owner-${owner}` })),
        partition: owner % partitions,
      }));
      await produce(kafka, topics.completed, records);
      written += owners;
      await endpoint.received(written - owners);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await writing;
      return written;
    },
  };
}
