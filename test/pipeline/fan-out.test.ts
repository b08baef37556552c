import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { DeliveryPlan } from '../../src/deliveries/plan.ts';
import { Assignment } from '../../src/kafka/consumer/assignment.ts';
import { FanOut, type RecordHandler } from '../../src/pipeline/fan-out.ts';
import { recordResults, type AssignmentContext, type Handled, type RecordContext } from '../../src/pipeline/ports.ts';
import { aDelivery, aRecord } from '../support/builders.ts';
import { aRecordContext, anOwner } from '../support/service/record-context.ts';

/** Fans out so many deliveries. Each is in flight until the test ends it with a result or an error. */
function fanOut(count: number, assignment: AssignmentContext = new Assignment({})) {
  const created: string[] = [];
  const delivered: string[] = [];
  const calls: string[] = [];
  const results = new Map<string, PromiseWithResolvers<Handled>>();
  const plan: DeliveryPlan = {
    ownerId: 'owner',
    next: () => {
      if (created.length === count) return undefined;
      created.push(String(created.length + 1));
      return aDelivery({ webhookId: String(created.length) });
    },
  };
  const handler: RecordHandler = {
    pool: 'first',
    begin: async ({ delivery: { webhookId } }) => {
      delivered.push(webhookId);
      const result = Promise.withResolvers<Handled>();
      results.set(webhookId, result);
      return result.promise;
    },
    settle: () => 'delivered',
    failed: (_record, _context, error) => void (handled = error as Error),
  };
  let handled: Handled | 'not yet' | Error = 'not yet';
  const context: RecordContext = {
    ...aRecordContext(assignment),
    end: (result) => void (handled = result),
    fail: () => undefined,
  };
  const cursor = new FanOut({ record: aRecord(), plan, context, handler });
  return {
    cursor,
    created,
    delivered,
    /** Reports of the deliveries, in order. */
    calls,
    handled: async () => {
      // Everything that needs no time and no I/O runs.
      await setImmediate();
      return handled;
    },
    start: (times = 1) => {
      for (let time = 0; time < times; time += 1) cursor.startNext(anOwner(calls));
    },
    end: (number: number, result: Handled) => results.get(String(number))?.resolve(result),
    fail: (number: number, error: Error) => results.get(String(number))?.reject(error),
  };
}

describe('a fan-out', () => {
  it('starts one delivery at a time, as it is asked to, until none is left', async () => {
    const { cursor, delivered, start } = fanOut(2);
    expect([cursor.ownerId, cursor.hasNext, delivered]).toEqual(['owner', true, []]);
    start();
    expect([cursor.hasNext, delivered]).toEqual([true, ['1']]);
    start();
    expect([cursor.hasNext, delivered]).toEqual([false, ['1', '2']]);
  });

  it('creates a delivery when the one before it starts, so that few exist at a time', () => {
    const { created, start } = fanOut(10_000);
    expect(created).toHaveLength(1);
    start(3);
    expect(created).toHaveLength(4);
  });

  it('has nothing to start without deliveries', () => {
    const { cursor, start, calls } = fanOut(0);
    expect(cursor.hasNext).toBe(false);
    start();
    expect(calls).toEqual([]);
  });

  it('is handled once all its deliveries have started and ended', async () => {
    const { handled, start, end, calls } = fanOut(3);
    start(2);
    end(1, 'delivered');
    end(2, 'delivered');
    expect([await handled(), calls]).toEqual(['not yet', ['ended', 'ended']]);
    start();
    expect(await handled()).toBe('not yet');
    end(3, 'delivered');
    expect([await handled(), calls]).toEqual(['delivered', ['ended', 'ended', 'ended']]);
  });

  const pairs = recordResults.flatMap((better, rank) => recordResults.slice(rank).map((worse) => ({ better, worse })));

  it.each(pairs.filter(({ worse }) => worse !== 'ignored'))(
    'comes to $better with a delivery that comes to it and one that comes to $worse',
    async ({ better, worse }) => {
      for (const [one, other] of [
        [better, worse],
        [worse, better],
      ] as const) {
        const { handled, start, end } = fanOut(2);
        start(2);
        end(1, one);
        end(2, other);
        expect(await handled()).toBe(better);
      }
    },
  );

  it('is abandoned if one of its deliveries is, once all have ended', async () => {
    const { handled, start, end } = fanOut(3);
    start(3);
    end(2, 'abandoned');
    end(1, 'dead_lettered');
    expect(await handled()).toBe('not yet');
    end(3, 'delivered');
    expect(await handled()).toBe('abandoned');
  });

  it('fails with the first error, once all its deliveries have ended', async () => {
    const { handled, start, end, fail, calls } = fanOut(3);
    const [first, second] = [new Error('first'), new Error('second')];
    start(3);
    fail(2, first);
    fail(3, second);
    expect([await handled(), calls]).toEqual(['not yet', ['ended', 'ended']]);
    end(1, 'abandoned');
    expect([await handled(), calls]).toEqual([first, ['ended', 'ended', 'ended']]);
  });
});

describe('a fan-out that is abandoned', () => {
  it('starts nothing more, and is abandoned once what it has started has ended', async () => {
    const { cursor, handled, start, end, delivered } = fanOut(10);
    start(2);
    end(1, 'delivered');
    cursor.abandon();
    expect([cursor.hasNext, await handled()]).toEqual([false, 'not yet']);
    end(2, 'retried');
    expect([await handled(), delivered]).toEqual(['abandoned', ['1', '2']]);
  });

  it('is abandoned at once when nothing has started', async () => {
    const { cursor, handled } = fanOut(10);
    cursor.abandon();
    expect(await handled()).toBe('abandoned');
  });
});

describe('a delivery whose record has waited for its turn', () => {
  it('is not made when the assignment was revoked in the meantime', async () => {
    const assignment = new Assignment({});
    const { handled, start, end, delivered, calls } = fanOut(2, assignment);
    start();
    assignment.revoke();
    start();
    end(1, 'delivered');
    expect([await handled(), delivered, calls]).toEqual(['abandoned', ['1'], ['ended', 'ended']]);
  });

  it.each([
    { answer: 'confirms', delivered: ['1'], calls: [], result: 'not yet' },
    { answer: 'gives away', delivered: [], calls: ['ended'], result: 'abandoned' },
  ])('waits until the group $answer the ownership of its partition', async ({ answer, ...expected }) => {
    const confirmed = Promise.withResolvers<void>();
    const assignment = new Assignment({}, { ownershipUnconfirmed: () => confirmed.promise });
    const { handled, start, delivered, calls } = fanOut(1, assignment);
    start();
    expect([await handled(), delivered, calls]).toEqual(['not yet', [], []]);
    if (answer === 'confirms') confirmed.resolve();
    else assignment.prepareToRevoke();
    expect({ result: await handled(), delivered, calls }).toEqual(expected);
  });
});
