import { describe, expect, it } from 'vitest';
import { retryHeaders } from '../../../src/kafka/records/envelope.ts';
import { RetryIntake } from '../../../src/kafka/consumer/retry-intake.ts';
import { aDelivery, aRecord } from '../../support/builders.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { aRecordContext } from '../../support/service/record-context.ts';

const minute = 60_000;

describe('the tier intake', () => {
  it('knows of each tier how many records it holds, and when the first is due', async () => {
    using parts = start();
    expect(parts.intake.held()).toEqual(new Map());
    parts.read('retry.10m', { dueInMs: 9 * minute });
    parts.read('retry.10m', { dueInMs: 4 * minute });
    parts.read('retry.1m', { dueInMs: minute });
    const { now } = parts;
    expect(parts.intake.held()).toEqual(
      new Map([
        ['retry.10m', { records: 2, nextDueAt: now + 4 * minute }],
        ['retry.1m', { records: 1, nextDueAt: now + minute }],
      ]),
    );
    await parts.clock.advance(4 * minute);
    expect(parts.handled).toEqual([now + minute, now + 4 * minute]);
    expect(parts.intake.held()).toEqual(new Map([['retry.10m', { records: 1, nextDueAt: now + 9 * minute }]]));
  });

  it('lets what is due at the same time go on one by one', async () => {
    using parts = start();
    for (let record = 0; record < 20; record += 1) parts.read('retry.1m', { dueInMs: minute });
    await parts.clock.advance(minute);
    expect(parts.handled).toHaveLength(1);
    await parts.clock.advance(4);
    expect(parts.handled).toHaveLength(2);
    await parts.clock.advance(18 * 4);
    expect(parts.handled).toHaveLength(20);
  });

  it('lets no more than eight go on at a time, however many are due', async () => {
    using parts = start();
    for (let record = 0; record < 2001; record += 1) parts.read('retry.1m', { dueInMs: minute });
    await parts.clock.advance(minute);
    await parts.clock.advance(4);
    expect(parts.handled).toHaveLength(9);
  });

  it('holds nothing any more once it has let go, and nothing of it goes on', async () => {
    using parts = start();
    parts.read('retry.1m', { dueInMs: minute });
    parts.intake.release();
    expect(parts.intake.held()).toEqual(new Map());
    await parts.clock.advance(minute);
    expect(parts.handled).toEqual([]);
  });
});

interface Parts extends Disposable {
  readonly intake: RetryIntake;
  readonly clock: ManualClock;
  readonly now: number;
  /** When those were due that were let go of. */
  readonly handled: readonly number[];
  read(topic: string, record: { readonly dueInMs: number }): void;
}

function start(): Parts {
  const clock = new ManualClock();
  const now = clock.now();
  const handled: number[] = [];
  const intake = new RetryIntake({
    clock,
    tierOf: (topic) => ({ topic, label: '10m', delayMs: 10 * minute }),
    pipeline: {
      handleRetry: async ({ stay }) => {
        handled.push(stay.dueAt);
        return 'delivered';
      },
      handleUnreadable: async () => 'dead_lettered',
    },
  });
  return {
    intake,
    clock,
    now,
    handled,
    read: (topic, { dueInMs }) => {
      const headers = retryHeaders(aDelivery({ attempt: 2 }), now + dueInMs);
      void intake.handle(aRecord({ topic, headers, timestamp: now }), aRecordContext());
    },
    [Symbol.dispose]: () => intake.release(),
  };
}
