import { describe, expect, it } from 'vitest';
import { owedResultHeaders, retryHeaders } from '../../../src/kafka/records/envelope.ts';
import { RetryIntake } from '../../../src/kafka/consumer/retry-intake.ts';
import { aDelivery, aRecord } from '../../support/builders.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { aRecordContext, handledIn } from '../../support/service/record-context.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('RetryIntake', () => {
  it('reports how many records of each tier it holds, and when the first is due', async () => {
    using setup = start();
    expect(setup.intake.held()).toEqual(new Map());
    setup.read('retry.10m', { dueInMs: 9 * minute });
    setup.read('retry.10m', { dueInMs: 4 * minute });
    setup.read('retry.1m', { dueInMs: minute });
    const { now } = setup;
    expect(setup.intake.held()).toEqual(
      new Map([
        ['retry.10m', { records: 2, nextDueAt: now + 4 * minute }],
        ['retry.1m', { records: 1, nextDueAt: now + minute }],
      ]),
    );
    await setup.clock.advance(4 * minute);
    expect(setup.handled).toEqual([now + minute, now + 4 * minute]);
    expect(setup.intake.held()).toEqual(new Map([['retry.10m', { records: 1, nextDueAt: now + 9 * minute }]]));
  });

  it.each([
    { how: 'back by an hour while it is held', heldJumpMs: -hour },
    { how: 'forward by an hour while it is held', heldJumpMs: hour },
    { how: 'back by an hour before it is read', readJumpMs: -hour },
    { how: 'back by a day, and the writer had the new time', readJumpMs: -24 * hour, writtenInMs: -24 * hour },
  ])('attempts a delivery after its delay when the wall clock was set $how', async (jump) => {
    const { heldJumpMs = 0, readJumpMs = 0, writtenInMs = 0 } = jump;
    using setup = start();
    setup.clock.jump(readJumpMs);
    setup.read('retry.10m', { dueInMs: writtenInMs + 10 * minute, writtenInMs });
    setup.clock.jump(heldJumpMs);
    await setup.clock.advance(10 * minute - 1);
    expect(setup.leftMs).toEqual([]);
    await setup.clock.advance(1);
    expect(setup.leftMs).toEqual([0]);
  });

  it('attempts at once what a clock that is set forward makes overdue', () => {
    using setup = start();
    setup.clock.jump(hour);
    setup.read('retry.10m', { dueInMs: 10 * minute });
    expect(setup.leftMs).toEqual([-50 * minute]);
  });

  it('passes on what is due after its delay with the time left, whatever the wall clock says by then', async () => {
    using setup = start();
    setup.read('retry.10m', { dueInMs: 25 * minute });
    setup.clock.jump(-hour);
    await setup.clock.advance(10 * minute);
    expect(setup.leftMs).toEqual([15 * minute]);
  });

  it.each([
    { how: 'records without a timestamp', writtenInMs: undefined },
    { how: 'a clock that is an hour behind', writtenInMs: hour },
  ])('holds a backlog for one delay with $how, although it reads a part at a time', async ({ writtenInMs }) => {
    using setup = start();
    const record = { dueInMs: hour + 10 * minute, writtenInMs, inLogSinceMs: 0 };
    setup.read('retry.10m', record);
    await setup.clock.advance(10 * minute);
    setup.read('retry.10m', record);
    setup.read('retry.10m', record);
    expect(setup.leftMs).toEqual([0, 0, 0]);
  });

  it('tells flow control at once for how long it holds a record', () => {
    using setup = start();
    setup.read('retry.10m', { dueInMs: 4 * minute });
    setup.read('retry.10m', { dueInMs: 25 * minute });
    setup.read('retry.10m', { dueInMs: -minute });
    expect(setup.calls).toEqual([4, 10, 0].map((minutes) => `held for ${minutes * minute} ms`));
  });

  it.each([
    [1, 'retried'],
    [2, 'ignored'],
    [3, 'dead_lettered'],
  ] as const)('pays a result that was owed %i times once it is due, and is then %s', async (timesOwed, handled) => {
    using setup = start();
    const dueAt = setup.now + minute;
    const value = Buffer.from('{"configurationId":"w"}');
    const headers = owedResultHeaders(timesOwed, dueAt);
    const record = aRecord({ topic: 'retry.1m', value, headers, timestamp: setup.now });
    const ended = handledIn(aRecordContext(), (context) => setup.intake.handle(record, context));
    await setup.clock.advance(minute - 1);
    expect(setup.calls).toEqual([]);
    await setup.clock.advance(1);
    expect(setup.calls).toEqual([`paid a result owed ${timesOwed} times`]);
    expect(await ended).toBe(handled);
  });

  it('forgets an owed result once no results topic is configured', async () => {
    using setup = start(false);
    const record = aRecord({
      topic: 'retry.1m',
      value: Buffer.from('{"configurationId":"w"}'),
      headers: owedResultHeaders(1, setup.now),
    });
    expect(await handledIn(aRecordContext(), (context) => setup.intake.handle(record, context))).toBe('ignored');
  });

  it('holds nothing after a release, and starts none of the released records', async () => {
    using setup = start();
    setup.read('retry.1m', { dueInMs: minute });
    setup.intake.release();
    expect(setup.intake.held()).toEqual(new Map());
    await setup.clock.advance(minute);
    expect(setup.handled).toEqual([]);
  });
});

interface Setup extends Disposable {
  readonly intake: RetryIntake;
  readonly clock: ManualClock;
  readonly now: number;
  /** Due times of the records that were started. */
  readonly handled: readonly number[];
  /** The time left until each of them was due when it was started. */
  readonly leftMs: readonly number[];
  /** Reports to flow control, in order. */
  readonly calls: readonly string[];
  /** Times from the start of the test. A record without `writtenInMs` has no timestamp. */
  read(topic: string, record: ReadRecord): void;
}

/** The end of a payment, by the times that its result was owed. */
const paid = [undefined, 'owed', 'written', 'too_large'] as const;

interface ReadRecord {
  readonly dueInMs: number;
  readonly writtenInMs?: number | undefined;
  readonly inLogSinceMs?: number;
}

function start(hasResults = true): Setup {
  const clock = new ManualClock();
  const [now, began] = [clock.now(), clock.monotonic()];
  const handled: number[] = [];
  const leftMs: number[] = [];
  const calls: string[] = [];
  const intake = new RetryIntake({
    clock,
    tierOf: (topic) => ({ topic, label: '10m', delayMs: 10 * minute }),
    results: hasResults
      ? {
          pay: async ({ timesOwed }) => {
            calls.push(`paid a result owed ${timesOwed} times`);
            return paid[timesOwed] ?? 'abandoned';
          },
        }
      : undefined,
    pipeline: {
      handleRetry: async ({ stay }, context) => {
        handled.push(stay.dueAt);
        leftMs.push(stay.dueAtMonotonic - clock.monotonic());
        context.end('delivered');
      },
      handleUnreadable: (_record, _problem, context) => context.end('dead_lettered'),
    },
  });
  return {
    intake,
    clock,
    now,
    handled,
    leftMs,
    calls,
    read: (topic, record) => {
      const { dueInMs, writtenInMs, inLogSinceMs } = { writtenInMs: 0, inLogSinceMs: Infinity, ...record };
      const timestamp = writtenInMs === undefined ? undefined : now + writtenInMs;
      const headers = retryHeaders(aDelivery({ attempt: 2 }), now + dueInMs);
      const read = aRecord({ topic, headers, timestamp });
      const context = aRecordContext(undefined, { calls, inLogSince: began + inLogSinceMs });
      void handledIn(context, (full) => intake.handle(read, full));
    },
    [Symbol.dispose]: () => intake.release(),
  };
}
