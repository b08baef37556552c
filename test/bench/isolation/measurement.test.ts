import { expect, it } from 'vitest';
import type { Run } from './experiment.ts';
import { latenciesOf, together } from './measurement.ts';
import type { Arrival } from './receiver/messages.ts';

it('takes deliveries of several runs for those of one', () => {
  const quick = aRun({ steady: Array.from({ length: 980 }, () => anArrival({ answeredAt: 2 })) });
  const slow = aRun({ steady: Array.from({ length: 20 }, () => anArrival({ answeredAt: 9 })) });
  expect(together([quick, slow], everybody).p99Ms).toBe(9);
});

it('has a backlog last from its first write to its last 2xx, and adds up how long several lasted', () => {
  const backlog = [anArrival({ writtenAt: 50, answeredAt: 60 }), anArrival({ writtenAt: 10, answeredAt: 110 })];
  const longer = [anArrival({ writtenAt: 0, answeredAt: 300 }), anArrival({ writtenAt: 1, answeredAt: 5 })];
  expect(together([aRun({ backlog }), aRun({ backlog: longer })], everybody).perSecond).toBe(10);
});

it('leaves out whoever is not measured', () => {
  const quick = anArrival({ endpoint: 1, receivedAt: 1, answeredAt: 2 });
  const slow = anArrival({ endpoint: 2, receivedAt: 8, answeredAt: 100 });
  const measured = together([aRun({ steady: [quick, slow], backlog: [quick, slow] })], (endpoint) => endpoint === 1);
  expect(measured).toMatchObject({ p99Ms: 2, untilRequestP99Ms: 1, perSecond: 500 });
});

it('has the time to the request apart from that to the 2xx', () => {
  const steady = [anArrival({ writtenAt: 1, receivedAt: 3, answeredAt: 8 })];
  const { p99Ms, untilRequestP99Ms } = together([aRun({ steady })], everybody);
  expect([p99Ms, untilRequestP99Ms]).toEqual([7, 2]);
  expect(latenciesOf(steady)).toEqual([7]);
});

it('has what the host took in the mean', () => {
  expect(together([aRun({ stolen: 0.01 }), aRun({ stolen: 0.03 })], everybody).stolen).toBeCloseTo(0.02);
});

function everybody(): boolean {
  return true;
}

function aRun(run: Partial<Run>): Run {
  return { steady: [anArrival({})], stolen: 0, backlog: [anArrival({})], ...run };
}

function anArrival(arrival: Partial<Arrival>): Arrival {
  return { endpoint: 1, writtenAt: 0, receivedAt: 1, answeredAt: 1, ...arrival };
}
