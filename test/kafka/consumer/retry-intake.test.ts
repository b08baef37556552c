import { describe, expect, it } from 'vitest';
import { retryHeaders } from '../../../src/kafka/records/envelope.ts';
import { RetryIntake } from '../../../src/kafka/consumer/retry-intake.ts';
import { aDelivery, aRecord } from '../../support/builders.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { aRecordContext } from '../../support/service/record-context.ts';

const minute = 60_000;

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

  it('passes on all records that are due, because flow control limits how many of them start in a turn', async () => {
    using setup = start();
    for (let record = 0; record < 300; record += 1) setup.read('retry.1m', { dueInMs: minute });
    await setup.clock.advance(minute - 1);
    expect(setup.handled).toEqual([]);
    await setup.clock.advance(1);
    expect(setup.handled).toHaveLength(300);
    expect(setup.intake.held()).toEqual(new Map());
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
  read(topic: string, record: { readonly dueInMs: number }): void;
}

function start(): Setup {
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
