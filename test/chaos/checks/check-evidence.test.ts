import { describe, expect, it } from 'vitest';
import type { RecordAnswer } from '../../../src/cli/explain/answers.ts';
import { deliveryIdOf, type Evidence } from '../evidence/evidence.ts';
import { checkEvidence, type Expectation } from './check-evidence.ts';

const topic = 'completed';
const tier = 'retry.1s';
const offsets = Array.from({ length: 10 }, (_, offset) => offset);

const id = (offset: number): string => deliveryIdOf({ topic, partition: 0, offset }, 'hook');
const accepted = (offset: number, at = 1000 * offset + 100): Evidence['requests'][number] => ({
  deliveryId: id(offset),
  certificateId: `c${offset}`,
  at,
  accepted: true,
});
const resultOf = (deliveryId: string, at: number): Evidence['results'][number] => ({
  type: 'delivery.attempted',
  deliveryId,
  outcome: 'delivered',
  written: 1,
  at,
});
const commit = (offset: number, at: number, settled: Evidence['commits'][number]['settled'] = []) => ({
  topic,
  partition: 0,
  offset,
  settled,
  at,
});
const published = (offset: number, at: number, overrides: Partial<Evidence['published'][number]> = {}) => ({
  topic: tier,
  partition: 0,
  offset: 0,
  deliveryId: id(offset),
  at,
  copyKey: '1/0',
  deadLetterReason: undefined,
  ...overrides,
});

/**
 * Ten records of one partition, a second apart, each accepted a tenth of a second after it was written. The results topic
 * tells of each accepted request.
 */
function evidence(overrides: Partial<Evidence> = {}): Evidence {
  const { requests = offsets.map((offset) => accepted(offset)) } = overrides;
  const records = offsets.map((offset) => ({ partition: 0, offset, certificateId: `c${offset}`, at: 1000 * offset }));
  return {
    records: records.map((record) => ({ ...record, topic, ownerId: 'owner' })),
    acknowledged: records,
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

const { requests: all, results } = evidence();
const withoutLast = all.slice(0, -1);
const again = (...late: readonly number[]) => [...all, ...late.map((offset) => accepted(offset, 9000))];
const disruptedAt = (at: number) => [{ from: at, to: at }];
const repeats = (count: number) => `${count} deliveries were repeated although committed, and at most 0 were in flight`;
const passed = (position: number, offset: number, at = topic) =>
  `the commit of ${at}/0 at ${position} passed ${id(offset)} unsettled`;
const dead = published(9, 9100, { topic: 'dead-letter', deadLetterReason: 'exhausted' });
const copies = [published(3, 3050), published(3, 3060, { offset: 1 })];
const counted = (delivered: number) => new Map([['delivered', delivered]]);
const lateResult = (at: number) => [...results.filter(({ deliveryId }) => deliveryId !== id(3)), resultOf(id(3), at)];

const explained = (offset: number, state: 'delivered' | 'pending' = 'delivered'): RecordAnswer => ({
  place: `${topic}/0/${offset}`,
  timestamp: null,
  ownerId: 'owner',
  eventType: 'certificate_completed',
  isInTopic: true,
  problem: null,
  progress: { state: 'settled' },
  deadLetters: [],
  webhooks: [
    {
      configurationId: 'hook',
      ...(state === 'pending' ? { state } : { state, at: undefined, attempt: 1 }),
      attempts: [{ attempt: 1, outcome: 'delivered', at: undefined }],
    },
  ],
});
const explanations = offsets.map((offset) => explained(offset));

type Case = readonly [what: string, found: Partial<Evidence>, violations: readonly string[], expected?: Expectation];

const cases: readonly Case[] = [
  ['a delivery for each record', {}, []],
  ['the same answer of explain', { explanations }, []],
  [
    'no answer',
    { explanations: explanations.slice(1) },
    [`explain says nothing of ${id(0)}, accepted 1 times, with 1 results`],
  ],
  [
    'another answer',
    { explanations: [...explanations.slice(1), explained(0, 'pending')] },
    [`explain says pending after 1 attempts of ${id(0)}, accepted 1 times, with 1 results`],
  ],
  [
    'an answer without a record',
    { explanations: [...explanations, explained(77)] },
    [`explain says delivered after 1 attempts of ${id(77)}, accepted 0 times, with 0 results`],
  ],
  ['no delivery', { requests: withoutLast, commits: [commit(0, 0)] }, [`never delivered ${id(9)}`]],
  ['a dead letter', { requests: withoutLast, published: [dead] }, [`dead-lettered ${id(9)}`]],
  [
    'a dead letter of an endpoint that fails',
    { requests: withoutLast, published: [dead] },
    [],
    { failingWebhooks: new Set(['hook']) },
  ],
  [
    'another certificate than that of its record',
    { requests: [...withoutLast, { ...accepted(9), certificateId: 'c8' }] },
    [`unexpected request c8 as ${id(9)}`],
  ],
  [
    'a record that Kafka lost',
    { acknowledged: [{ partition: 0, offset: 10, certificateId: 'c10', at: 10_000 }] },
    ['lost by Kafka c10 at 0/10'],
  ],
  [
    'no record and no commit',
    { records: [], acknowledged: [], requests: [], commits: [] },
    ['nothing was written', 'no commit was observed'],
  ],
  [
    'a commit that goes back',
    { commits: [commit(5, 20_000), commit(4, 21_000)] },
    [`the commit of ${topic}/0 went back from 5 to 4`],
  ],
  ['a commit before the last acceptance', { commits: [commit(10, 9099)] }, [passed(10, 9)]],
  ['a commit at the last acceptance', { commits: [commit(10, 9100)] }, []],
  ['metadata with an unsettled record', { commits: [commit(3, 4100, [{ start: 4, end: 6 }])] }, [passed(3, 5)]],
  [
    'a commit after the write to a tier',
    { requests: [...withoutLast, accepted(9, 30_000)], published: [published(9, 9150)] },
    [],
  ],
  [
    'a commit before the write to a tier',
    {
      requests: [...withoutLast, accepted(9, 30_000)],
      published: [published(9, 9150)],
      commits: [commit(10, 9149)],
    },
    [passed(10, 9)],
  ],
  [
    'a commit of a tier whose record is not settled',
    {
      requests: [...withoutLast, accepted(9, 30_000)],
      published: [published(9, 9150)],
      commits: [{ ...commit(1, 10_000), topic: tier }],
    },
    [passed(1, 9, tier)],
  ],
  ['repeats without a disruption', { requests: again(3, 4) }, [repeats(2)]],
  ['a repeat of what was accepted long before a disruption', repeatedAfter(4600, [3, 4]), [repeats(1)]],
  ['a repeat of what was in flight', { ...repeatedAfter(4600, [3, 4]), maxInFlight: 1 }, []],
  ['a repeat of what had no result yet', { ...repeatedAfter(6000, [3]), results: lateResult(5000) }, []],
  ['a repeat of what had a result', { ...repeatedAfter(6000, [3]), results: lateResult(4999) }, [repeats(1)]],
  [
    'repeats of what was published before a disruption',
    { ...repeatedAfter(20_000, [3, 4]), published: [published(3, 19_500), published(4, 18_500)] },
    [repeats(1)],
  ],
  ['a repeat of a request that was cut off', { ...cutOff(3, 8000), requests: again(3) }, []],
  [
    'a repeat of a request that has a result',
    { results: [...results, drained(3, 8000), resultOf(id(3), 9001)], requests: again(3) },
    [repeats(1)],
  ],
  ['a repeat of what was handed over before its request', { ...cutOff(3, 3000), requests: again(3) }, [repeats(1)]],
  ['a repeat of a copied retry', { requests: again(3), published: copies }, [repeats(1)]],
  [
    'a repeat of a copied retry if acknowledgements are lost',
    { requests: again(3), published: copies },
    [],
    { copiesAllowed: true },
  ],
  ['a refused attempt', { requests: [...all, { ...accepted(3), accepted: false }], results }, []],
  [
    'a partition without requests for long',
    {
      requests: offsets.map((offset) => accepted(offset, 1000 * offset + (offset < 5 ? 100 : 3100))),
      commits: [commit(0, 0)],
    },
    ['a partition stalled for 3100 ms'],
    { maxStallMs: 3000 },
  ],
  [
    'an invented result, and a missing one',
    { results: [...results.slice(1), resultOf(id(10), 10_100)] },
    [`no result tells that it was delivered: ${id(0)}`, `a result tells that it was delivered: ${id(10)}`],
  ],
  ['as many results as attempts', { attemptsCounted: counted(10) }, []],
  [
    'fewer attempts than results',
    { attemptsCounted: counted(9) },
    ['10 results with the outcome delivered, and 9 in the metrics'],
  ],
  [
    'more attempts than results',
    { attemptsCounted: counted(11) },
    ['10 results with the outcome delivered, and 11 in the metrics'],
  ],
  [
    'more attempts than results after a disruption',
    { attemptsCounted: counted(11), disruptions: disruptedAt(4600) },
    [],
  ],
];

function cutOff(offset: number, at: number): Partial<Evidence> {
  return { results: [...results, drained(offset, at)] };
}

function drained(offset: number, at: number): Evidence['results'][number] {
  return { ...resultOf(id(offset), at), type: 'delivery.deferred', outcome: 'draining' };
}

function repeatedAfter(at: number, late: readonly number[]): Partial<Evidence> {
  return { requests: again(...late), disruptions: disruptedAt(at) };
}

describe('checkEvidence', () => {
  it.each(cases.map(([what, ...rest]) => ({ what, rest })))(
    'judges $what',
    ({ rest: [found, violations, expected] }) => {
      expect(checkEvidence(evidence(found), expected).violations).toEqual(violations);
    },
  );

  it.each([
    { what: 'a copy of a result', times: 1, wrong: [9, 11, 12] },
    { what: 'a second attempt with the same result', times: 2, wrong: [9, 12] },
  ])('tells $what from a missing result', ({ times, wrong }) => {
    const [first = resultOf(id(0), 0), ...others] = results;
    // Brokers have written the retry twice, so both attempts are right.
    const found = {
      requests: [...Array.from({ length: times }, () => accepted(0)), ...all.slice(1)],
      results: [{ ...first, written: 2 }, ...others],
      published: [published(0, 50), published(0, 60, { offset: 1 })],
    };
    const isWrong = (count: number): boolean =>
      checkEvidence(evidence({ ...found, attemptsCounted: counted(count) }), { copiesAllowed: true }).violations
        .length > 0;
    expect([9, 10, 11, 12].filter(isWrong)).toEqual(wrong);
  });
});
