import { expect, it } from 'vitest';
import type { Run } from './experiment.ts';
import { combineRuns, latenciesOf } from './measurement.ts';
import type { Arrival } from './receiver/messages.ts';

it('counts the deliveries of several runs as those of one', () => {
  const quick = aRun({ steady: Array.from({ length: 980 }, () => anArrival({ answeredAt: 2 })) });
  const slow = aRun({ steady: Array.from({ length: 20 }, () => anArrival({ answeredAt: 9 })) });
  expect(combineRuns([quick, slow], everyEndpoint).p99Ms).toBe(9);
});

it('counts a backlog from its first write to its last 2xx, and adds up the durations of several', () => {
  const backlog = [anArrival({ writtenAt: 50, answeredAt: 60 }), anArrival({ writtenAt: 10, answeredAt: 110 })];
  const longer = [anArrival({ writtenAt: 0, answeredAt: 300 }), anArrival({ writtenAt: 1, answeredAt: 5 })];
  expect(combineRuns([aRun({ backlog }), aRun({ backlog: longer })], everyEndpoint).perSecond).toBe(10);
});

it('leaves out endpoints that are not measured', () => {
  const quick = anArrival({ endpoint: 1, receivedAt: 1, answeredAt: 2 });
  const slow = anArrival({ endpoint: 2, receivedAt: 8, answeredAt: 100 });
  const measured = combineRuns([aRun({ steady: [quick, slow], backlog: [quick, slow] })], (endpoint) => endpoint === 1);
  expect(measured).toMatchObject({ p99Ms: 2, requestP99Ms: 1, perSecond: 500 });
});

it('separates the time to the request from that to the 2xx', () => {
  const steady = [anArrival({ writtenAt: 1, receivedAt: 3, answeredAt: 8 })];
  const { p99Ms, requestP99Ms } = combineRuns([aRun({ steady })], everyEndpoint);
  expect([p99Ms, requestP99Ms]).toEqual([7, 2]);
  expect(latenciesOf(steady)).toEqual([7]);
});

it('has the mean of the steal time', () => {
  expect(combineRuns([aRun({ stealShare: 0.01 }), aRun({ stealShare: 0.03 })], everyEndpoint).stealShare).toBeCloseTo(
    0.02,
  );
});

function everyEndpoint(): boolean {
  return true;
}

function aRun(run: Partial<Run>): Run {
  return { steady: [anArrival({})], stealShare: 0, backlog: [anArrival({})], ...run };
}

function anArrival(arrival: Partial<Arrival>): Arrival {
  return { endpoint: 1, writtenAt: 0, receivedAt: 1, answeredAt: 1, ...arrival };
}
