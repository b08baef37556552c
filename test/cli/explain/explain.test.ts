import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/deliveries/delivery.ts';
import { markerHeaders } from '../../../src/kafka/records/replay-headers.ts';
import { aCertificateDocument, aConfiguration, aRecord, json, type Document } from '../../support/builders.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { produce } from '../../support/kafka/records.ts';
import { framed } from '../../support/registry/framed.ts';
import { startRegistryServer } from '../../support/registry/registry-server.ts';
import { startForTests } from '../../support/service/start-once.ts';
import { deadDelivery, deadRecord } from '../dead-letters/dead-letters.ts';
import { runHere } from '../program.ts';
import {
  aPlatform,
  certificate,
  commit,
  configuration,
  delivery,
  explained,
  iso,
  minute,
  result,
  retry,
  start,
  webhooksOf,
  words,
  write,
} from './explain-platform.ts';

describe('explain', () => {
  const platform = startForTests((parts) => aPlatform(parts));

  it('tells of each record whether it was read, by the commit and its metadata, and ends with 3 without one', async () => {
    await using parts = new AsyncDisposableStack();
    const own = await aPlatform(parts);
    expect(await explained(own)).toMatchObject({ code: 3, answers: [] });
    for (const id of ['c-1', 'x', 'c-1', 'c-1', 'c-1']) await certificate(own, 0, { _id: id });
    const { answers } = await explained(own);
    expect(answers.map(({ progress }) => progress)).toEqual(
      Array.from({ length: 4 }, () => ({ state: 'uncommitted' })),
    );
    await commit(own, own.topics.group, own.topics.completed, 2, [[3, 4]]);
    const committed = await explained(own);
    expect(committed.code).toBe(0);
    expect(committed.answers.map(({ progress }) => progress)).toEqual([
      { state: 'settled' },
      { state: 'unsettled', committedOffset: 2, before: 0 },
      { state: 'settled' },
      { state: 'unsettled', committedOffset: 2, before: 1 },
    ]);
    expect((await explained(own, '--certificate', 'c-1', '--owner', 'another')).code).toBe(3);
    expect((await explained(own, '--certificate', 'c-1', '--since', iso(1))).code).toBe(3);
  });

  it('says what it searched, and what else to try, if there is no record', async () => {
    await using parts = new AsyncDisposableStack();
    const { environment, topics } = await aPlatform(parts, { results: true });
    const searched = [topics.completed, topics.expired, topics.deadLetters, topics.results].join(', ');
    const gone = 'records older than the retention of their topic are gone';
    const { code, out } = await runHere(environment, 'explain', '--certificate', 'other');
    expect(code).toBe(3);
    expect(out).toEqual([`no record of certificate other in ${searched} or a retry topic: check the id; ${gone}`]);
    const narrow = ['--certificate', 'other', '--owner', 'x', '--since', iso(1)];
    expect((await runHere(environment, 'explain', ...narrow)).out).toEqual([
      `no record of certificate other of owner x in ${searched} or a retry topic since ${words(1)}: check the id, leave out --owner, set --since earlier; ${gone}`,
    ]);
  });

  it('tells why each webhook did not want it, by the configuration as it stood', async () => {
    await using parts = new AsyncDisposableStack();
    const own = await aPlatform(parts);
    await configuration(own, 0, 'disabled', { enabled: false });
    await configuration(own, 1, 'expired', { events: ['certificate_expired'] });
    await configuration(own, 2, 'removed', {});
    await configuration(own, 3, 'removed', null);
    await configuration(own, 4, 'given', {});
    await configuration(own, 5, 'given', { _ownerId: 'another' });
    await configuration(own, 6, 'strange', { _ownerId: 'another' });
    await configuration(own, 7, 'enabled later', { enabled: false });
    await certificate(own, 10, { _id: 'c-1' });
    await configuration(own, 20, 'enabled later', {});
    await configuration(own, 21, 'new', {});
    await configuration(own, 22, 'sealed', { auth: 'sealed', paused: true });
    await commit(own, own.topics.group, own.topics.completed, 1);
    const place = (offset: number): string => `${own.topics.configurations}/0/${offset}`;
    expect(await webhooksOf(own)).toMatchObject({
      disabled: { state: 'not_wanted', reason: 'disabled', configuration: { place: place(0), at: iso(0) } },
      expired: { state: 'not_wanted', reason: 'other_event', configuration: { events: ['certificate_expired'] } },
      removed: { state: 'not_wanted', reason: 'removed', configuration: { place: place(3), at: iso(3) } },
      given: { state: 'not_wanted', reason: 'other_owner' },
      'enabled later': {
        state: 'not_wanted',
        configuration: { state: 'disabled' },
        changed: { state: 'active', at: iso(20) },
      },
      new: { state: 'unknown', changed: { place: place(9) } },
      sealed: { state: 'unknown', changed: { state: 'paused' } },
    });
    expect(await webhooksOf(own)).not.toHaveProperty('strange');
    const { out } = await runHere(own.environment, 'explain', '--certificate', 'c-1');
    expect(out).toContain(`    webhook disabled       not wanted: disabled (${place(0)}, ${words(0)})`);
  });

  it('tells where each delivery is, behind what, and which attempts were made', async () => {
    const { topics } = platform();
    const [first = '', second = ''] = topics.tiers;
    for (const id of ['waiting', 'dead', 'replayed', 'settled', 'deferred']) await configuration(platform(), 0, id, {});
    await certificate(platform(), 0, { _id: 'c-1' });
    await certificate(platform(), 0, { _id: 'x' });
    const of = (id: string): Delivery => delivery(platform(), 0, id);
    for (const id of ['settled', 'waiting', 'replayed']) await write(platform(), first, 1, retry(of(id), 1, 11));
    await write(platform(), second, 11, retry(delivery(platform(), 1, 'other'), 2, 71));
    await write(platform(), second, 11, retry(of('waiting'), 2, 71));
    await write(platform(), first, 12, retry(of('deferred'), 0, 22, 'paused'));
    await write(platform(), topics.deadLetters, 12, deadDelivery(of('dead'), { failedAt: start + 12 * minute }));
    const letter = deadDelivery(of('replayed'), { failedAt: start + 13 * minute });
    await write(platform(), topics.deadLetters, 13, letter);
    const record = aRecord({ topic: topics.deadLetters, offset: 1, value: letter.value, headers: letter.headers });
    const marker = markerHeaders({ record, of: 'delivery' }, start + 14 * minute);
    await write(platform(), topics.deadLetters, 14, { value: null, headers: marker });
    await commit(platform(), topics.group, topics.completed, 2);
    await commit(platform(), topics.retryGroup, first, 1, [[1, 3]]);
    const lost = [{ attempt: 1, outcome: 'http_error', status: 503, at: iso(1) }];
    expect(await webhooksOf(platform())).toMatchObject({
      waiting: {
        state: 'waiting',
        tier: second,
        dueAt: iso(71),
        behind: 1,
        attemptsMade: 2,
        reason: 'http_error',
        attempts: [...lost, { attempt: 2, at: iso(11) }],
      },
      deferred: { state: 'waiting', tier: first, behind: 0, reason: 'paused', attemptsMade: 0, attempts: [] },
      dead: {
        state: 'dead_lettered',
        reason: 'exhausted',
        message: 'answered 503',
        at: iso(12),
        place: '0/0',
        attemptsMade: 7,
      },
      replayed: { state: 'dead_lettered', place: '0/1', replayedAt: iso(14), attempts: [...lost, { attempt: 7 }] },
      settled: { state: 'settled', isTold: false, attempts: lost },
    });
    const { out } = await runHere(platform().environment, 'explain', '--certificate', 'c-1');
    const line = (id: string): string => String(out.find((one) => one.startsWith(`    webhook ${id}`)));
    expect(out.slice(0, 2)).toEqual([
      'certificate c-1 of owner owner',
      `  ${topics.completed}/0/0, certificate_completed, written ${words(0)}: read and settled`,
    ]);
    expect(line('waiting')).toContain(`waiting in ${second} until ${words(71)}, behind 1 others; attempts: 2`);
    expect(line('dead')).toContain(`exhausted, answered 503, ${words(12)}, dead letter 0/0, not replayed`);
    expect(line('replayed')).toContain(`replayed ${words(14)}`);
    expect(line('settled')).toContain('cannot be told apart without a results topic');
  });

  it('lists what waits in the tiers, by filter', async () => {
    const listed = async (...args: readonly string[]): Promise<readonly string[]> => {
      const { code, out } = await runHere(platform().environment, 'retries', 'list', '--json', ...args);
      expect(code).toBe(0);
      const found = out.map((line) => JSON.parse(line) as Document);
      return found.map((one) => `${String(one['tier'])} ${String(one['webhook-configuration-id'])}`);
    };
    const all = ['10m deferred', '1h other', '1h waiting'];
    expect(await listed()).toEqual(all);
    expect(await listed('--tier', '600s')).toEqual(all.slice(0, 1));
    expect(await listed('--reason', 'http_error', '--configuration', 'waiting')).toEqual(all.slice(2));
    expect(await listed('--since', iso(60), '--limit', '1')).toEqual(all.slice(2));
    expect(await listed('--certificate', 'c-1', '--until', iso(60))).toEqual(all.slice(0, 1));
    expect(await listed('--owner', 'nobody')).toEqual([]);
    const { code, out, err } = await runHere(platform().environment, 'retries', 'list', '--limit', '1');
    expect([code, out.length, out[1]]).toEqual([0, 2, expect.stringMatching(/ 1h +waiting +c-1 +owner +2 +0\/1 /)]);
    expect(err).toContain('waiting: 1');
    expect((await runHere(platform().environment, 'retries', 'list', '--tier', '5m')).code).toBe(2);
  });

  it('tells by the results topic what was delivered, and of which types it does not know', async () => {
    await using parts = new AsyncDisposableStack();
    const own = await aPlatform(parts, { results: true });
    for (const id of ['delivered', 'again', 'gone', 'untold', 'owed', 'short']) await configuration(own, 0, id, {});
    await certificate(own, 0, { _id: 'c-1' });
    const of = (id: string): Delivery => delivery(own, 0, id);
    const failed = { at: iso(1), attempt: 1, outcome: 'http_error', status: 503, settlement: 'retry' };
    const accepted = { at: iso(12), attempt: 2, outcome: 'delivered', status: 204, durationMs: 8, settlement: 'done' };
    // Two copies of a retry may be accepted in one millisecond. The last result was written again, shortened.
    const copy = { ...accepted, durationMs: 9 };
    const shortened = { ...copy, certificateId: undefined, ownerId: undefined };
    for (const fields of [failed, accepted, accepted, copy, shortened]) await result(own, of('delivered'), fields);
    await write(own, String(own.topics.tiers[0]), 1, retry(of('delivered'), 1, 11));
    await result(own, of('again'), accepted);
    // A replay after the delivery.
    await write(own, String(own.topics.tiers[0]), 30, retry(of('again'), 0, 30));
    await result(own, of('gone'), { type: 'delivery.unsubscribed', at: iso(3), attempt: 1 });
    await result(own, of('untold'), { type: 'delivery.foreseen', at: iso(4), attempt: 1 });
    await result(own, of('untold'), { type: 'record.unclaimed', at: iso(4), deliveryId: undefined });
    await result(own, of('short'), { ...accepted, certificateId: undefined, ownerId: undefined });
    const owed = {
      ...accepted,
      type: 'delivery.attempted',
      configurationId: 'owed',
      certificateId: 'c-1',
      ownerId: 'owner',
    };
    const value = json({ ...owed, deliveryId: of('owed').deliveryId });
    await write(own, String(own.topics.tiers[0]), 12, { value, headers: [['owed-result', '1']] });
    await commit(own, own.topics.group, own.topics.completed, 1);
    const delivered = { state: 'delivered', at: iso(12), status: 204, attempt: 2 };
    expect(await webhooksOf(own)).toMatchObject({
      delivered: {
        ...delivered,
        attempts: [
          { attempt: 1, at: iso(1) },
          { attempt: 2, outcome: 'delivered', at: iso(12) },
          { attempt: 2, outcome: 'delivered', at: iso(12) },
        ],
      },
      again: { state: 'waiting', attemptsMade: 0 },
      gone: { state: 'unsubscribed', at: iso(3) },
      untold: { state: 'settled', isTold: true },
      owed: delivered,
      short: delivered,
    });
    expect((await runHere(own.environment, 'retries', 'list')).err).toContain('waiting: 2');
  });

  it('tells of a record that is no certificate, and of what its topic does not hold any more', async () => {
    await using parts = new AsyncDisposableStack();
    const own = await aPlatform(parts);
    const { completed, deadLetters } = own.topics;
    await certificate(own, 0, { _id: 'c-1', _userId: 7 });
    const record = aRecord({ topic: completed, offset: 0, value: json({ _id: 'c-1' }) });
    await write(own, deadLetters, 1, deadRecord(record, 'invalid_record', start + minute));
    await write(own, deadLetters, 2, deadDelivery(delivery(own, 50, 'dead')));
    await commit(own, own.topics.group, completed, 60);
    const { answers } = await explained(own);
    expect(answers).toMatchObject([
      { problem: { reason: 'invalid_record' }, deadLetters: [{ reason: 'invalid_record', at: iso(1), place: '0/0' }] },
      { place: `${completed}/0/50`, isInTopic: false, webhooks: [{ configurationId: 'dead', state: 'dead_lettered' }] },
    ]);
  });

  it('finds the id in framed records, and behind escapes of JSON', async () => {
    await using parts = new AsyncDisposableStack();
    const schema = {
      type: 'record',
      name: 'Certificate',
      fields: ['_id', '_userId', '_ownerId'].map((name) => ({ name, type: 'string' })),
    };
    const registry = parts.use(
      await startRegistryServer({ answer: () => ({ body: { schema: JSON.stringify(schema) } }) }),
    );
    const own = await aPlatform(parts, { environment: { SCHEMA_REGISTRY_URL: registry.url } });
    const ids = ['c/ä"', 'user', 'owner'];
    const avro = Buffer.concat(ids.flatMap((id) => [Buffer.of(2 * Buffer.byteLength(id)), Buffer.from(id)]));
    const text = JSON.stringify(aCertificateDocument({ _id: 'ID' }));
    const values = [
      framed(1, avro),
      ...[String.raw`c/ä\"`, String.raw`\u0063\/\u00e4\u0022`, String.raw`c\/ä\"`, String.raw`c\/b`].map((id) =>
        Buffer.from(text.replace('ID', id)),
      ),
    ];
    await produce(
      own.kafka,
      own.topics.completed,
      values.map((value) => ({ value })),
    );
    const { answers } = await explained(own, '--certificate', 'c/ä"');
    expect(answers.map(({ place }) => place)).toEqual(
      [0, 1, 2, 3].map((offset) => `${own.topics.completed}/0/${offset}`),
    );
  });

  it('judges by the files that hold the configurations now', async () => {
    await using parts = new AsyncDisposableStack();
    const documents = [{ _id: 'wanting' }, { _id: 'off', enabled: false }, { _id: 'strange', _ownerId: 'another' }];
    const all = documents.map((document) => aConfiguration({ _ownerId: 'owner', ...document }));
    const files = parts.use(await writeTemporaryFiles({ 'all.json': json(all) }));
    const environment = { WEBHOOK_CONFIGURATIONS: `file:${files.path('all.json')}` };
    const own = await aPlatform(parts, { environment });
    await certificate(own, 0, { _id: 'c-1' });
    const { out } = await runHere(own.environment, 'explain', '--certificate', 'c-1');
    expect(out.slice(2)).toEqual([
      '    webhook off      not wanted: disabled in the configuration files',
      '    webhook wanting  nothing yet: its first attempt is not over',
    ]);
    expect(out[1]).toContain('not read yet: the group has no commit in its partition');
  });

  it('ends with 1 if a topic is missing or Kafka cannot be reached', async () => {
    const { environment } = platform();
    expect((await runHere({ ...environment, DEAD_LETTER_TOPIC: 'none' }, 'explain', '--certificate', 'c-1')).code).toBe(
      1,
    );
    expect((await runHere(environment, 'explain')).code).toBe(2);
  });
});
