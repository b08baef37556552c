import { expect, it } from 'vitest';
import type { BenchEnvironment } from '../environment.ts';
import { full } from '../scale.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { scenarios } from '../scenarios/scenarios.ts';
import { withRevision } from './with-revision.ts';

it('adds the service of the other revision after each of this one, in every scenario', () => {
  const both = withRevision(scenarios('this'), { others: scenarios('that'), ref: 'v1' });
  const systems = new Map(both.map((one) => [one.name, one.systems.map(({ name }) => name)]));
  expect(systems.get('one-host')).toEqual([
    'the service',
    'the service at v1',
    'undici alone',
    'kafkajs alone',
    'a bare loop',
  ]);
  expect(systems.get('steady')).toEqual(['the service', 'the service at v1']);
  expect(systems.get('fan-out')?.slice(0, 3)).toEqual([
    '1 webhook per owner',
    '1 webhook per owner at v1',
    '3 webhooks per owner',
  ]);
  expect(both.map(({ name }) => name)).toEqual(scenarios('this').map(({ name }) => name));
});

it('runs the program of each revision', async () => {
  const [both] = withRevision([scenarioUsing(1)], { others: [scenarioUsing(2)], ref: 'v1' });
  const samples = both?.systems.map((system) => system.run({} as BenchEnvironment, full)) ?? [];
  expect(await Promise.all(samples)).toEqual([{ peakMemoryMiB: 1 }, { peakMemoryMiB: 2 }]);
});

function scenarioUsing(peakMemoryMiB: number): Scenario {
  const service = { name: 'the service', run: () => Promise.resolve({ peakMemoryMiB }) };
  return { name: 'one-host', kind: 'limited', title: 'One host', systems: [service], targets: [] };
}
