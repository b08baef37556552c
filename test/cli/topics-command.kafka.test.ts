import { describe, expect, inject, it } from 'vitest';
import { runTopics } from '../../src/cli/topics.ts';
import { clientOf } from '../../src/kafka/kafkajs/create-kafka.ts';
import { connectAdmin as connect, describeTopics, findTopics } from '../../src/kafka/topics/topic-admin.ts';
import type { WantedTopics } from '../../src/kafka/topics/wanted-topics.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { quietClient, repairedClient } from '../support/kafka/client.ts';
import { produce } from '../support/kafka/records.ts';
import { createTopics, uniqueName } from '../support/kafka/topics.ts';

const brokers = inject('kafka');
const kafka = quietClient(brokers);

/** Names topics for another service in the cluster that the tests share. */
function newTopics(): WantedTopics {
  const service = uniqueName('service');
  return {
    certificates: [`${service}.completed`, `${service}.expired`],
    configurations: `${service}.configurations`,
    tiers: [`${service}.retry.10s`, `${service}.retry.10m`],
    tierPrefix: `${service}.retry`,
    deadLetters: `${service}.dead`,
    results: undefined,
    maxAgeMs: 72 * 3_600_000,
    maxRecordBytes: 8_388_608,
  };
}

interface Ran {
  readonly code: 0 | 1;
  readonly out: readonly string[];
  readonly err: readonly string[];
}

async function run(wanted: WantedTopics, { create = false, client = repairedClient(brokers) } = {}): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runTopics({
    kafka: clientOf(client),
    wanted,
    create,
    clock: systemClock,
    signal: new AbortController().signal,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  return { code, out, err };
}

describe('the topics command', () => {
  it('prints what is missing and creates nothing', async () => {
    const wanted = newTopics();
    const { code, out } = await run(wanted);
    expect(code).toBe(1);
    expect(out).toHaveLength(7);
    expect(out[0]).toMatch(/^TOPIC +ROLE +STATUS +WHAT +WHAT TO DO$/);
    expect(out[1]).toMatch(/^service\.\w+\.completed +certificates +missing +is missing +topics --create makes it$/);
    expect((await run(wanted)).out).toEqual(out);
  });

  it('creates what is missing, and reports no problem afterwards', async () => {
    const wanted = newTopics();
    const created = await run(wanted, { create: true });
    expect(created.code).toBe(0);
    expect(created.out.filter((line) => line.startsWith('made '))).toHaveLength(6);
    const { code, out } = await run(wanted);
    expect(code).toBe(0);
    expect(out.join('\n')).not.toMatch(/ (missing|wrong) /);
    const found = await foundTopics(wanted);
    expect(found.get(wanted.tiers[0] ?? '')).toMatchObject({
      partitions: 12,
      cleanupPolicies: ['delete'],
      retentionMs: 14 * 24 * 3_600_000,
      maxMessageBytes: 1_048_588 + 65_536,
    });
    expect(found.get(wanted.configurations ?? '')).toMatchObject({ partitions: 1, cleanupPolicies: ['compact'] });
    expect(found.get(wanted.deadLetters)).toMatchObject({ retentionMs: 90 * 24 * 3_600_000 });
  });

  it('creates tiers that fit the certificate topics, and changes no existing topic, even a wrong one', async () => {
    const wanted = newTopics();
    const [completed = '', tier = ''] = [wanted.certificates[0], wanted.tiers[0]];
    await createTopics(kafka, [
      { topic: completed, partitions: 3, settings: { 'max.message.bytes': 2_000_000 } },
      { topic: tier, partitions: 2, settings: { 'cleanup.policy': 'compact' } },
    ]);
    const { code, out } = await run({ ...wanted, certificates: [completed] }, { create: true });
    expect(code).toBe(1);
    expect(out.filter((line) => line.startsWith(`${tier} `)).join('\n')).toMatch(
      /wrong +is compacted.*set cleanup\.policy=delete\n.*wrong.*set max\.message\.bytes=2065536/,
    );
    const found = await foundTopics(wanted);
    expect(found.get(tier)).toMatchObject({ partitions: 2, cleanupPolicies: ['compact'] });
    expect(found.get(wanted.tiers[1] ?? '')).toMatchObject({ partitions: 3, maxMessageBytes: 2_065_536 });
  });

  it('warns about configurations that stand in two partitions', async () => {
    const wanted = newTopics();
    const { configurations = '' } = wanted;
    await createTopics(kafka, [{ topic: configurations, partitions: 2, settings: { 'cleanup.policy': 'compact' } }]);
    await run(wanted, { create: true });
    expect((await run(wanted)).out.join('\n')).not.toContain('in another one');
    await produce(kafka, configurations, [
      { key: 'moved', value: '{}', partition: 0, timestamp: 1 },
      { key: 'moved', value: '{}', partition: 1, timestamp: 2 },
      { key: 'removed', value: '{}', partition: 0, timestamp: 1 },
      { key: 'removed', value: null, partition: 1, timestamp: 2 },
      { key: 'well removed', value: null, partition: 0, timestamp: 1 },
      { key: 'well removed', value: null, partition: 1, timestamp: 2 },
    ]);
    const { code, out } = await run(wanted);
    expect(code).toBe(0);
    expect(out.find((line) => line.startsWith(configurations))).toMatch(
      / warning +has 2 partitions, and 2 keys with an older value in another one +/,
    );
  });

  it('prints a note for a retired tier', async () => {
    const wanted = newTopics();
    const { code } = await run(wanted, { create: true });
    const { out, code: later } = await run({ ...wanted, tiers: wanted.tiers.slice(1) });
    expect([code, later]).toEqual([0, 0]);
    expect(out.at(-1)).toMatch(/\.retry\.10s +tier +note +is no configured tier/);
  });
});

async function foundTopics(wanted: WantedTopics): ReturnType<typeof describeTopics> {
  await using admin = await connect(kafka);
  const all = await findTopics(clientOf(kafka));
  const service = wanted.deadLetters.slice(0, -'dead'.length);
  const topics = all.filter((topic) => topic.startsWith(service));
  return await describeTopics(admin, topics);
}
