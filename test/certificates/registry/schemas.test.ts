import { describe, expect, it } from 'vitest';
import type { SchemaDocument } from '../../../src/certificates/framing.ts';
import type { RegistryAnswer } from '../../../src/certificates/registry/answer.ts';
import { Schemas } from '../../../src/certificates/registry/schemas.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { framed } from '../../support/registry/framed.ts';
import { aSchema, readingText } from '../../support/registry/schemas.ts';

type Answer = RegistryAnswer<SchemaDocument>;

const found: Answer = { kind: 'found', found: aSchema('AVRO', 'int') };
const unknown: Answer = { kind: 'unknown' };
const failed: Answer = { kind: 'failed', failure: 'unreachable', reason: 'ECONNREFUSED' };
const minuteMs = 60_000;

function start(answer: (id: number) => Answer | Promise<Answer>) {
  const clock = new ManualClock();
  const requested: number[] = [];
  const emitted: string[] = [];
  const schemas = new Schemas({
    find: async (id) => {
      requested.push(id);
      return Promise.resolve(answer(id));
    },
    events: {
      schemaRegistryFailed: ({ schemaId, failure, retryInMs }) => emitted.push(`${schemaId} ${failure} ${retryInMs}`),
      schemaUnknown: ({ schemaId, retryInMs }) => emitted.push(`${schemaId} unknown ${retryInMs}`),
    },
    clock,
  });
  const read = (id: number): string => readingText(schemas.read(framed(id, Buffer.of(14))));
  const wait = (id: number) => schemas.whenReadable(framed(id, Buffer.of(14)));
  /** Waits for the schema. Returns whether the wait has ended. */
  const waiting = (id: number): (() => boolean) => {
    let hasEnded = false;
    void wait(id)?.then(() => (hasEnded = true));
    return () => hasEnded;
  };
  return { schemas, clock, requested, emitted, read, wait, waiting };
}

describe('a schema', () => {
  it('is fetched once for all values that need it, and then kept for good', async () => {
    const { wait, read, requested, clock } = start(() => found);
    await Promise.all([wait(1), wait(1)]);
    expect(read(1)).toBe('7');
    await clock.advance(24 * 60 * minuteMs);
    expect(wait(1)).toBeUndefined();
    expect(requested).toEqual([1]);
  });

  it('is requested less and less often while the registry fails, and never given up', async () => {
    let answer: Answer = failed;
    const { waiting, read, clock, emitted, schemas } = start(() => answer);
    const isReadable = waiting(1);
    await clock.advance(10 * minuteMs);
    const waits = [500, 1000, 2000, 4000, 8000, 15_000, 15_000];
    expect(emitted.slice(0, 7)).toEqual(waits.map((ms) => `1 unreachable ${ms}`));
    expect(isReadable()).toBe(false);
    answer = found;
    await clock.advance(15_000);
    expect(isReadable()).toBe(true);
    expect(read(1)).toBe('7');
    schemas[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });

  it('stays known while the registry fails', async () => {
    const { wait, read, schemas } = start((id) => (id === 1 ? found : failed));
    await wait(1);
    expect(wait(2)).toBeInstanceOf(Promise);
    expect(wait(1)).toBeUndefined();
    expect(read(1)).toBe('7');
    schemas[Symbol.dispose]();
  });
});

describe('an id that the registry does not know', () => {
  it('is requested again for five minutes, and then its values are undecodable', async () => {
    const { wait, read, clock, requested, emitted, waiting } = start(() => unknown);
    const isReadable = waiting(9);
    await clock.advance(5 * minuteMs - 1);
    expect(isReadable()).toBe(false);
    await clock.advance(15_001);
    expect(isReadable()).toBe(true);
    expect(wait(9)).toBeUndefined();
    expect(read(9)).toBe('the schema registry has no schema 9');
    expect(emitted.at(-1)).toBe('9 unknown undefined');
    expect(requested.length).toBeGreaterThan(20);
  });

  it('is requested once more, half a minute later, before the next value is undecodable', async () => {
    const { wait, read, clock, requested } = start(() => unknown);
    void wait(9);
    await clock.advance(5 * minuteMs + 15_000);
    const before = requested.length;
    expect(read(9)).toContain('no schema');
    await clock.advance(31_000);
    await wait(9);
    expect(requested.length - before).toBe(1);
    expect(read(9)).toContain('no schema');
  });

  it('gets the five minutes again after a long time without requests', async () => {
    const { wait, clock, schemas, waiting } = start(() => unknown);
    void wait(9);
    await clock.advance(5 * minuteMs + 15_000);
    await clock.advance(6 * minuteMs);
    const isReadable = waiting(9);
    await clock.advance(4 * minuteMs);
    expect(isReadable()).toBe(false);
    schemas[Symbol.dispose]();
  });

  it('may become known within the five minutes', async () => {
    let answer: Answer = unknown;
    const { wait, read, clock } = start(() => answer);
    const readable = wait(9);
    await clock.advance(4 * minuteMs);
    answer = found;
    await clock.advance(15_000);
    await readable;
    expect(read(9)).toBe('7');
  });

  it('is not given up while the registry fails', async () => {
    let answer: Answer = unknown;
    const { waiting, clock, schemas } = start(() => answer);
    const isReadable = waiting(9);
    await clock.advance(0);
    answer = failed;
    await clock.advance(60 * minuteMs);
    answer = unknown;
    await clock.advance(4 * minuteMs);
    expect(isReadable()).toBe(false);
    schemas[Symbol.dispose]();
  });
});

describe('a value', () => {
  it('leads to no request when its frame is broken', () => {
    const { schemas, requested } = start(() => found);
    for (const hex of ['00', '00000000', '00ffffffff07']) {
      const value = Buffer.from(hex, 'hex');
      expect(schemas.whenReadable(value)).toBeUndefined();
      expect(schemas.read(value).kind).toBe('undecodable');
    }
    expect(requested).toEqual([]);
  });

  it('is not read before its schema is known', () => {
    const { read } = start(() => found);
    expect(() => read(1)).toThrow('a value is read before its schema is there');
  });
});

describe('after disposal', () => {
  it('no request is sent, and no pending promise settles', async () => {
    const { schemas, waiting, clock, requested, emitted } = start(() => failed);
    const isReadable = waiting(1);
    await clock.advance(0);
    schemas[Symbol.dispose]();
    const isOtherReadable = waiting(2);
    await clock.advance(10 * minuteMs);
    expect([requested, emitted.length, clock.pending]).toEqual([[1], 1, 0]);
    expect([isReadable(), isOtherReadable()]).toEqual([false, false]);
  });
});

describe('a schema that is asked for once', () => {
  it.each<readonly [kind: string, answer: Answer, ofOthers: Answer]>([
    ['found', found, failed],
    ['unknown', unknown, failed],
    ['failing', failed, unknown],
    ['failing', failed, found],
    ['away', failed, failed],
  ])('is requested once by all who ask at a time: %s', async (kind, answer, ofOthers) => {
    const { schemas, requested, clock, emitted } = start((id) => (id === 1 ? answer : ofOthers));
    expect(await Promise.all([schemas.ask(1, 500), schemas.ask(1, 500)])).toEqual([kind, kind]);
    await clock.advance(minuteMs);
    expect([requested.filter((id) => id === 1), schemas.hasSchema(1)]).toEqual([[1], kind === 'found']);
    // The id that no registry has leaves no trace in logs and metrics.
    expect(emitted.map((event) => event.slice(0, 2))).toEqual(kind === 'found' ? [] : ['1 ']);
  });

  it('is not given up, so that a record still waits for it', async () => {
    const { schemas, wait, clock, emitted } = start(() => unknown);
    for (let minute = 0; minute < 10; minute += 1) {
      await schemas.ask(1, 700);
      await clock.advance(minuteMs);
    }
    await schemas.ask(1, 700);
    expect(wait(1)).toBeInstanceOf(Promise);
    await clock.advance(0);
    expect(emitted.at(-1)).toBe('1 unknown 500');
    expect(emitted).toContain('1 unknown 700');
  });
});
