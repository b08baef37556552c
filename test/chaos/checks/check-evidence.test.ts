import { describe, expect, it } from 'vitest';
import { deliveryIdOf, type Evidence } from '../evidence/evidence.ts';
import { checkEvidence } from './check-evidence.ts';

const topic = 'completed';
const tier = 'retry.1s';

/**
 * Ten records of one partition, a second apart, each accepted a tenth of a second after it was written. The results topic
 * tells of each accepted request.
 */
function evidence(overrides: Partial<Evidence> = {}): Evidence {
  const offsets = Array.from({ length: 10 }, (_, offset) => offset);
  const { requests = offsets.map((offset) => accepted(offset)) } = overrides;
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
    requests,
    published: [],
    results: requests.map(({ deliveryId, at }) => resultOf(deliveryId, at)),
    attemptsCounted: undefined,
    commits: offsets.map((offset) => commit(offset + 1, 1000 * offset + 200)),
    disruptions: [],
    maxInFlight: 0,
    ...overrides,
  };
}

const resultOf = (deliveryId: string, at: number): Evidence['results'][number] => ({
  type: 'delivery.attempted',
  deliveryId,
  outcome: 'delivered',
  written: 1,
  at,
});
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
const publishedDelivery = (offset: number, at: number, overrides: Partial<Evidence['published'][number]> = {}) => ({
  topic: tier,
  partition: 0,
  offset: 0,
  deliveryId: id(offset),
  at,
  copyKey: '1/0',
  deadLetterReason: undefined,
  ...overrides,
});
const without = (offset: number): Evidence['requests'] =>
  evidence().requests.filter((one) => one.deliveryId !== id(offset));

describe('checkEvidence', () => {
  it('finds no violation if every delivery was accepted once and each commit came later', () => {
    expect(checkEvidence(evidence())).toEqual({
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

  it('reports a delivery that was never accepted', () => {
    const result = checkEvidence(evidence({ requests: without(9), commits: [commit(0, 0)] }));
    expect(result).toMatchObject({ missing: 1, violations: [`never delivered ${id(9)}`] });
  });

  it('expects a delivery for every webhook of the owner', () => {
    const webhooksByOwner = new Map([['owner', ['hook', 'other']]]);
    expect(checkEvidence(evidence({ webhooksByOwner, commits: [commit(0, 0)] }))).toMatchObject({
      deliveries: 20,
      missing: 10,
    });
  });

  it('accepts dead letters for failing webhooks only', () => {
    const dead = evidence({
      requests: without(9),
      published: [publishedDelivery(9, 9100, { topic: 'dead-letter', deadLetterReason: 'exhausted' })],
    });
    expect(checkEvidence(dead, { failingWebhooks: new Set(['hook']) }).violations).toEqual([]);
    expect(checkEvidence(dead)).toMatchObject({ deadLettered: 1, missing: 0, violations: [`dead-lettered ${id(9)}`] });
  });

  it('reports a request with another certificate than that of its record', () => {
    const requests = [...without(9), { ...accepted(9), certificateId: 'c8' }];
    expect(checkEvidence(evidence({ requests })).violations).toEqual([`unexpected request c8 as ${id(9)}`]);
  });

  it('reports a record that Kafka lost after its acknowledgement', () => {
    const acknowledged = [{ partition: 0, offset: 10, certificateId: 'c10', at: 10_000 }];
    expect(checkEvidence(evidence({ acknowledged })).violations).toEqual(['lost by Kafka c10 at 0/10']);
  });

  it('reports an experiment without records and commits', () => {
    const nothing = evidence({ records: [], acknowledged: [], requests: [], commits: [] });
    expect(checkEvidence(nothing).violations).toEqual(['nothing was written', 'no commit was observed']);
  });
});

describe('the check of commits', () => {
  it('reports a commit that goes back', () => {
    const commits = [commit(5, 20_000), commit(4, 21_000)];
    expect(checkEvidence(evidence({ commits })).violations).toEqual([`the commit of ${topic}/0 went back from 5 to 4`]);
  });

  it('reports a commit that passes a delivery before its acceptance', () => {
    const broken = checkEvidence(evidence({ commits: [commit(10, 9099)] })).violations;
    expect(broken).toEqual([`the commit of ${topic}/0 at 10 passed ${id(9)} unsettled`]);
    expect(checkEvidence(evidence({ commits: [commit(10, 9100)] })).violations).toEqual([]);
  });

  it('reports metadata that lists a record before it is settled', () => {
    const commits = [commit(3, 4100, [{ start: 4, end: 6 }])];
    const broken = checkEvidence(evidence({ commits })).violations;
    expect(broken).toEqual([`the commit of ${topic}/0 at 3 passed ${id(5)} unsettled`]);
  });

  it('allows a commit to pass a delivery that is in a tier', () => {
    const late = { ...accepted(9), at: 30_000 };
    const publishedLate = evidence({ requests: [...without(9), late], published: [publishedDelivery(9, 9150)] });
    expect(checkEvidence(publishedLate).violations).toEqual([]);
    expect(checkEvidence({ ...publishedLate, commits: [commit(10, 9149)] }).violations).toHaveLength(1);
  });

  it('does not count the record of a tier as its own settlement', () => {
    const late = { ...accepted(9), at: 30_000 };
    const tierCommit = { ...commit(1, 10_000), topic: tier };
    const publishedLate = evidence({
      requests: [...without(9), late],
      published: [publishedDelivery(9, 9150)],
      commits: [tierCommit],
    });
    expect(checkEvidence(publishedLate).violations).toEqual([`the commit of ${tier}/0 at 1 passed ${id(9)} unsettled`]);
    const movedOn = {
      ...publishedLate,
      published: [publishedDelivery(9, 9150), publishedDelivery(9, 9900, { topic: 'retry.2s' })],
    };
    expect(checkEvidence(movedOn).violations).toEqual([]);
  });
});

describe('the check of duplicates', () => {
  const repeated = [...evidence().requests, { ...accepted(3), at: 9000 }, { ...accepted(4), at: 9001 }];

  it('allows no duplicate without a disruption', () => {
    const result = checkEvidence(evidence({ requests: repeated }));
    expect(result).toMatchObject({
      repeated: 2,
      violations: ['2 deliveries were repeated although committed, and at most 0 were in flight'],
    });
  });

  it('allows duplicates of deliveries in flight at a disruption or accepted in the second before', () => {
    const disruptions = [{ from: 4600, to: 4600 }];
    const acceptedOnly = checkEvidence(evidence({ requests: repeated, disruptions }));
    expect(acceptedOnly).toMatchObject({ repeated: 2, allowedToRepeat: 1 });
    expect(acceptedOnly.violations).toHaveLength(1);
    const inFlight = evidence({ requests: repeated, disruptions, maxInFlight: 1 });
    expect(checkEvidence(inFlight)).toMatchObject({ allowedToRepeat: 2, violations: [] });
  });

  it('allows duplicates of a delivery whose result was written later than a second before a disruption', () => {
    const disruptions = [{ from: 6000, to: 6000 }];
    const resultsAt = (at: number) => [
      ...evidence().results.filter((one) => one.deliveryId !== id(3)),
      resultOf(id(3), at),
    ];
    const committed = [...evidence().requests, { ...accepted(3), at: 9000 }];
    const check = (at: number) => checkEvidence(evidence({ requests: committed, results: resultsAt(at), disruptions }));
    expect(check(4999).violations).toHaveLength(1);
    expect(check(5000)).toMatchObject({ repeated: 1, violations: [] });
    expect(check(9000)).toMatchObject({ repeated: 1, violations: [] });
  });

  it('allows duplicates of a delivery that was published in the second before a disruption', () => {
    const disruptions = [{ from: 20_000, to: 20_000 }];
    const published = [publishedDelivery(3, 19_500), publishedDelivery(4, 18_500)];
    const { violations } = checkEvidence(evidence({ requests: repeated, published, disruptions }));
    expect(violations).toEqual(['1 deliveries were repeated although committed, and at most 0 were in flight']);
  });

  it('allows duplicates of a retry that was written twice if brokers may lose its acknowledgement', () => {
    const copies = [
      publishedDelivery(3, 3050),
      publishedDelivery(3, 3060, { offset: 1 }),
      publishedDelivery(4, 4050),
      publishedDelivery(4, 4060, { offset: 3 }),
    ];
    const copied = evidence({ requests: repeated, published: copies });
    expect(checkEvidence(copied, { copiesAllowed: true })).toMatchObject({
      repeated: 2,
      allowedToRepeat: 2,
      violations: [],
    });
    expect(checkEvidence(copied).violations).toHaveLength(1);
    const moved = copies.map((one) => Object.assign(one, { copyKey: `${one.offset}/0` }));
    expect(
      checkEvidence(evidence({ requests: repeated, published: moved }), { copiesAllowed: true }).violations,
    ).toHaveLength(1);
  });

  it('does not count refused attempts', () => {
    const requests = [...evidence().requests, { ...accepted(3), accepted: false }];
    expect(checkEvidence(evidence({ requests })).repeated).toBe(0);
  });
});

describe('the check of stalls', () => {
  it('finds the longest time without a request for a partition that had deliveries', () => {
    const requests = [0, 1, 2, 3, 4].map((offset) => accepted(offset));
    requests.push(...[5, 6, 7, 8, 9].map((offset) => accepted(offset, 3000)));
    const late = checkEvidence(evidence({ requests, commits: [commit(0, 0)] }), { maxStallMs: 3000 });
    expect(late).toMatchObject({ longestStallMs: 3100, violations: ['a partition stalled for 3100 ms'] });
  });

  it('ignores failing webhooks', () => {
    const requests = evidence().records.map(({ offset }) => accepted(offset, 60_000));
    expect(
      checkEvidence(evidence({ requests, commits: [commit(0, 0)] }), { failingWebhooks: new Set(['hook']) })
        .longestStallMs,
    ).toBe(0);
  });
});

describe('the check of results', () => {
  const { results } = evidence();

  it('reports an accepted delivery that the topic does not tell of, and one that no endpoint has received', () => {
    const invented = resultOf(id(10), 10_100);
    const { violations } = checkEvidence(evidence({ results: [...results.slice(1), invented] }));
    expect(violations).toEqual([
      `no result tells that it was delivered: ${id(0)}`,
      `a result tells that it was delivered: ${id(10)}`,
    ]);
  });

  it.each([
    { what: 'a copy of a result', times: 1, wrong: [9, 11, 12] },
    { what: 'a second attempt with the same result', times: 2, wrong: [9, 12] },
  ])('tells $what from a missing result', ({ times, wrong }) => {
    const [first, ...others] = results;
    const twice = first === undefined ? [] : [{ ...first, written: 2 }, ...others];
    // Brokers have written the retry twice, so both attempts are right.
    const copies = [publishedDelivery(0, 50), publishedDelivery(0, 60, { offset: 1 })];
    const requests = [...Array.from({ length: times }, () => accepted(0)), ...without(0)];
    const isWrong = (count: number): boolean => {
      const attemptsCounted = new Map([['delivered', count]]);
      const all = evidence({ requests, results: twice, published: copies, attemptsCounted });
      return checkEvidence(all, { copiesAllowed: true }).violations.length > 0;
    };
    expect([9, 10, 11, 12].filter(isWrong)).toEqual(wrong);
  });

  it('reports other numbers of attempts than those in the metrics, but fewer only without a disruption', () => {
    const counted = (delivered: number): Partial<Evidence> => ({
      attemptsCounted: new Map([['delivered', delivered]]),
    });
    expect(checkEvidence(evidence(counted(10))).violations).toEqual([]);
    const problem = (count: number): string => `10 results with the outcome delivered, and ${count} in the metrics`;
    expect(checkEvidence(evidence(counted(9))).violations).toEqual([problem(9)]);
    expect(checkEvidence(evidence(counted(11))).violations).toEqual([problem(11)]);
    const disruptions = [{ from: 4600, to: 4600 }];
    expect(checkEvidence(evidence({ ...counted(11), disruptions })).violations).toEqual([]);
    expect(checkEvidence(evidence({ ...counted(9), disruptions })).violations).toEqual([problem(9)]);
  });
});
