import { describe, expect, it } from 'vitest';
import { deliveryIdOf, type Evidence } from '../evidence/evidence.ts';
import { judge } from './check-evidence.ts';

const topic = 'completed';
const tier = 'retry.1s';

/** Ten records of one partition, a second apart, each accepted a tenth of a second after it was written. */
function evidence(overrides: Partial<Evidence> = {}): Evidence {
  const offsets = Array.from({ length: 10 }, (_, offset) => offset);
  return {
    records: offsets.map((offset) => ({
      topic,
      partition: 0,
      offset,
      ownerId: 'owner',
      certificateId: `c${offset}`,
      at: 1000 * offset,
    })),
    acknowledged: offsets.map((offset) => ({ partition: 0, offset, certificateId: `c${offset}`, at: 1000 * offset })),
    webhooksByOwner: new Map([['owner', ['hook']]]),
    requests: offsets.map((offset) => accepted(offset)),
    handoffs: [],
    commits: offsets.map((offset) => commit(offset + 1, 1000 * offset + 200)),
    disruptions: [],
    maxInFlight: 0,
    ...overrides,
  };
}

const id = (offset: number): string => deliveryIdOf({ topic, partition: 0, offset }, 'hook');
const accepted = (offset: number, lateMs = 0): Evidence['requests'][number] => ({
  deliveryId: id(offset),
  certificateId: `c${offset}`,
  at: 1000 * offset + 100 + lateMs,
  accepted: true,
});
const commit = (offset: number, at: number, settled: Evidence['commits'][number]['settled'] = []) => ({
  topic,
  partition: 0,
  offset,
  settled,
  at,
});
const handoff = (offset: number, at: number, overrides: Partial<Evidence['handoffs'][number]> = {}) => ({
  topic: tier,
  partition: 0,
  offset: 0,
  deliveryId: id(offset),
  at,
  stage: '1/0',
  deadBecause: undefined,
  ...overrides,
});
const without = (offset: number): Evidence['requests'] =>
  evidence().requests.filter((one) => one.deliveryId !== id(offset));

describe('the verdict', () => {
  it('is good when every delivery was accepted once and no commit came before', () => {
    expect(judge(evidence())).toEqual({
      records: 10,
      deliveries: 10,
      missing: 0,
      deadLettered: 0,
      repeated: 0,
      allowedToRepeat: 0,
      longestStallMs: 100,
      commits: 10,
      violations: [],
    });
  });

  it('names a delivery that was never accepted', () => {
    const verdict = judge(evidence({ requests: without(9), commits: [commit(0, 0)] }));
    expect(verdict).toMatchObject({ missing: 1, violations: [`never delivered ${id(9)}`] });
  });

  it('misses a delivery for every webhook of the owner', () => {
    const webhooksByOwner = new Map([['owner', ['hook', 'other']]]);
    expect(judge(evidence({ webhooksByOwner, commits: [commit(0, 0)] }))).toMatchObject({
      deliveries: 20,
      missing: 10,
    });
  });

  it('lets dead letters stand for deliveries to the sick alone', () => {
    const dead = evidence({
      requests: without(9),
      handoffs: [handoff(9, 9100, { topic: 'dead-letter', deadBecause: 'exhausted' })],
    });
    expect(judge(dead, { sick: new Set(['hook']) }).violations).toEqual([]);
    expect(judge(dead)).toMatchObject({ deadLettered: 1, missing: 0, violations: [`buried ${id(9)}`] });
  });

  it('objects to a request that carries another certificate than its record', () => {
    const requests = [...without(9), { ...accepted(9), certificateId: 'c8' }];
    expect(judge(evidence({ requests })).violations).toEqual([`nobody asked for c8 as ${id(9)}`]);
  });

  it('objects when Kafka lost what it had acknowledged, since nothing is proven then', () => {
    const acknowledged = [{ partition: 0, offset: 10, certificateId: 'c10', at: 10_000 }];
    expect(judge(evidence({ acknowledged })).violations).toEqual(['lost by Kafka c10 at 0/10']);
  });

  it('objects to an experiment in which nothing happened', () => {
    const nothing = evidence({ records: [], acknowledged: [], requests: [], commits: [] });
    expect(judge(nothing).violations).toEqual(['nothing was written', 'no commit was seen']);
  });
});

describe('of commits, the verdict', () => {
  it('objects to one that goes back', () => {
    const commits = [commit(5, 20_000), commit(4, 21_000)];
    expect(judge(evidence({ commits })).violations).toEqual([`the commit of ${topic}/0 went back from 5 to 4`]);
  });

  it('objects to one that passes a delivery before it is accepted', () => {
    const broken = judge(evidence({ commits: [commit(10, 9099)] })).violations;
    expect(broken).toEqual([`the commit of ${topic}/0 at 10 passed ${id(9)} unsettled`]);
    expect(judge(evidence({ commits: [commit(10, 9100)] })).violations).toEqual([]);
  });

  it('objects to metadata that names a record as settled before it is', () => {
    const commits = [commit(3, 4100, [{ start: 4, end: 6 }])];
    const broken = judge(evidence({ commits })).violations;
    expect(broken).toEqual([`the commit of ${topic}/0 at 3 passed ${id(5)} unsettled`]);
  });

  it('accepts one that passes a delivery once it is in a tier', () => {
    const late = { ...accepted(9), at: 30_000 };
    const handed = evidence({ requests: [...without(9), late], handoffs: [handoff(9, 9150)] });
    expect(judge(handed).violations).toEqual([]);
    expect(judge({ ...handed, commits: [commit(10, 9149)] }).violations).toHaveLength(1);
  });

  it('holds a tier to the same: its record is settled by a request or a later copy, not by itself', () => {
    const late = { ...accepted(9), at: 30_000 };
    const tierCommit = { ...commit(1, 10_000), topic: tier };
    const handed = evidence({
      requests: [...without(9), late],
      handoffs: [handoff(9, 9150)],
      commits: [tierCommit],
    });
    expect(judge(handed).violations).toEqual([`the commit of ${tier}/0 at 1 passed ${id(9)} unsettled`]);
    const movedOn = { ...handed, handoffs: [handoff(9, 9150), handoff(9, 9900, { topic: 'retry.2s' })] };
    expect(judge(movedOn).violations).toEqual([]);
  });
});

describe('of repetitions, the verdict', () => {
  const repeated = [...evidence().requests, { ...accepted(3), at: 9000 }, { ...accepted(4), at: 9001 }];

  it('allows none when nothing happened', () => {
    const verdict = judge(evidence({ requests: repeated }));
    expect(verdict).toMatchObject({
      repeated: 2,
      violations: ['2 deliveries were repeated although committed, and 0 were in flight at most'],
    });
  });

  it('allows what a disruption finds in flight, and what was accepted in the second before it', () => {
    const disruptions = [{ from: 4600, to: 4600 }];
    const atOnce = judge(evidence({ requests: repeated, disruptions }));
    expect(atOnce).toMatchObject({ repeated: 2, allowedToRepeat: 1 });
    expect(atOnce.violations).toHaveLength(1);
    const inFlight = evidence({ requests: repeated, disruptions, maxInFlight: 1 });
    expect(judge(inFlight)).toMatchObject({ allowedToRepeat: 2, violations: [] });
  });

  it('allows those of a delivery that was handed on in the second before', () => {
    const disruptions = [{ from: 20_000, to: 20_000 }];
    const handoffs = [handoff(3, 19_500), handoff(4, 18_500)];
    const { violations } = judge(evidence({ requests: repeated, handoffs, disruptions }));
    expect(violations).toEqual(['1 deliveries were repeated although committed, and 0 were in flight at most']);
  });

  it('allows those of a retry that lies there twice, where brokers may have lost its acknowledgement', () => {
    const copies = [
      handoff(3, 3050),
      handoff(3, 3060, { offset: 1 }),
      handoff(4, 4050),
      handoff(4, 4060, { offset: 3 }),
    ];
    const copied = evidence({ requests: repeated, handoffs: copies });
    expect(judge(copied, { copiesAllowed: true })).toMatchObject({ repeated: 2, allowedToRepeat: 2, violations: [] });
    expect(judge(copied).violations).toHaveLength(1);
    const moved = copies.map((one) => Object.assign(one, { stage: `${one.offset}/0` }));
    expect(judge(evidence({ requests: repeated, handoffs: moved }), { copiesAllowed: true }).violations).toHaveLength(
      1,
    );
  });

  it('does not count attempts that were refused', () => {
    const requests = [...evidence().requests, { ...accepted(3), accepted: false }];
    expect(judge(evidence({ requests })).repeated).toBe(0);
  });
});

describe('of stalls, the verdict', () => {
  it('tells the longest time without a request for a partition that had something to deliver', () => {
    const requests = [0, 1, 2, 3, 4].map((offset) => accepted(offset));
    requests.push(...[5, 6, 7, 8, 9].map((offset) => accepted(offset, 3000)));
    const late = judge(evidence({ requests, commits: [commit(0, 0)] }), { stallAtMostMs: 3000 });
    expect(late).toMatchObject({ longestStallMs: 3100, violations: ['a partition stood still for 3100 ms'] });
  });

  it('leaves the sick out of it', () => {
    const requests = evidence().records.map(({ offset }) => accepted(offset, 60_000));
    expect(judge(evidence({ requests, commits: [commit(0, 0)] }), { sick: new Set(['hook']) }).longestStallMs).toBe(0);
  });
});
