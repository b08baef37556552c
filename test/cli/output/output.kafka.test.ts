import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, it } from 'vitest';
import { aConfiguration, json } from '../../support/builders.ts';
import { root } from '../../support/files/sources.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { produce } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { readSlowly } from './slow-reader.ts';

const mebibyte = 1024 * 1024;
const count = 2000;
const brokers = inject('kafka');
const kafka = quietClient(brokers);
const program = `"${process.execPath}" src/main.ts`;

async function emptyTopic(): Promise<string> {
  const topic = uniqueName('configurations');
  await createTopics(kafka, [{ topic, settings: { 'cleanup.policy': 'compact' } }]);
  return topic;
}

/** Writes configurations with ids that fill the columns of a list, and returns the settings that name their topic. */
async function largeTopic() {
  const topic = await emptyTopic();
  const records = Array.from({ length: count }, (_, index) => {
    const _id = `webhook-${index}-${'x'.repeat(300)}`;
    return { key: _id, value: json(aConfiguration({ _id, _ownerId: `owner of ${_id}` })) };
  });
  // All of them are too large for one request.
  for (let at = 0; at < count; at += 500) await produce(kafka, topic, records.slice(at, at + 500));
  return { KAFKA_BROKERS: brokers.join(), WEBHOOK_CONFIGURATIONS: `kafka:${topic}` };
}

describe('output through a slow pipe', () => {
  it('of configurations export is whole', async () => {
    const { code, stdout, stderr } = await readSlowly(await largeTopic(), ['configurations', 'export']);
    expect([code, stderr]).toEqual([0, `configurations: ${count}, left out: 0\n`]);
    expect(Buffer.byteLength(stdout)).toBeGreaterThan(mebibyte);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toHaveLength(count);
  });

  it('of configurations export is whole when put reads it', async () => {
    const elsewhere = await emptyTopic();
    const put = `WEBHOOK_CONFIGURATIONS=kafka:${elsewhere} ${program} configurations put -`;
    const child = spawn('bash', ['-c', `${program} configurations export | ${put}`], {
      cwd: root,
      env: { PATH: process.env['PATH'], ...(await largeTopic()) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [[code], stdout] = await Promise.all([once(child, 'exit'), text(child.stdout)]);
    expect([code, stdout.match(/^new webhook-/gm)?.length]).toEqual([0, count]);
  });

  it('of configurations list is whole, although nobody reads it until everything is printed', async () => {
    const summary = `configurations: ${count}, refused: 0`;
    const { code, stdout } = await readSlowly(await largeTopic(), ['configurations', 'list'], {
      holdBack: { stream: 'stdout', until: summary },
    });
    expect([code, Buffer.byteLength(stdout) > mebibyte]).toEqual([0, true]);
    expect(new Set(stdout.match(/^webhook-\d+/gm)).size).toBe(count);
  });

  it('of topics is whole', async () => {
    const names = Array.from({ length: 4000 }, (_, index) => `${index}`);
    const long = 'x'.repeat(249);
    const environment = { KAFKA_BROKERS: brokers.join(), CERTIFICATE_TOPICS: [...names, long].join() };
    const { code, stdout } = await readSlowly(environment, ['topics']);
    expect([code, Buffer.byteLength(stdout) > mebibyte]).toEqual([1, true]);
    const found = new Set(stdout.match(/^\d+(?= )/gm));
    expect(names.filter((name) => !found.has(name))).toEqual([]);
  });
});
