import { expect, it } from 'vitest';
import { full } from '../scale.ts';
import type { Scenario } from '../scenario.ts';
import { scenarios } from '../scenarios.ts';
import type { Stage } from '../environment.ts';
import { versus } from './with-revision.ts';

it('puts the service of the other state next to each of this one, in every scenario', () => {
  const contested = versus(scenarios('this'), { others: scenarios('that'), ref: 'v1' });
  const contestants = new Map(contested.map((one) => [one.name, one.contestants.map(({ name }) => name)]));
  expect(contestants.get('one-host')).toEqual(['the service', 'the service at v1', 'undici alone', 'kafkajs alone']);
  expect(contestants.get('steady')).toEqual(['the service', 'the service at v1']);
  expect(contestants.get('fan-out')?.slice(0, 3)).toEqual([
    '1 webhook an owner',
    '1 webhook an owner at v1',
    '3 webhooks an owner',
  ]);
  expect(contested.map(({ name }) => name)).toEqual(scenarios('this').map(({ name }) => name));
});

it('has each of them run as its own state does', async () => {
  const [contested] = versus([scenarioTaking(1)], { others: [scenarioTaking(2)], ref: 'v1' });
  const samples = contested?.contestants.map((contestant) => contestant.run({} as Stage, full)) ?? [];
  expect(await Promise.all(samples)).toEqual([{ peakMemoryMiB: 1 }, { peakMemoryMiB: 2 }]);
});

function scenarioTaking(peakMemoryMiB: number): Scenario {
  const service = { name: 'the service', run: () => Promise.resolve({ peakMemoryMiB }) };
  return { name: 'one-host', title: 'A backlog', contestants: [service], targets: [] };
}
