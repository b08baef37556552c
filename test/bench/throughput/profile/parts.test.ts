import { expect, it } from 'vitest';
import { sharesOf, sharesOfAllocations, type AllocationNode, type CpuProfile } from './parts.ts';

const frames: readonly (readonly [name: string, url: string, children?: readonly number[]])[] = [
  ['(root)', '', [2, 3, 4, 6, 8]],
  ['(idle)', ''],
  ['(garbage collector)', ''],
  ['onStreamRead', 'node:internal/stream_base_commons', [5]],
  ['onData', 'file:///app/node_modules/undici/lib/dispatcher/client-h1.js'],
  ['acquire', 'file:///app/src/deliveries/gates.ts', [7]],
  ['now', ''],
  ['observe', 'file:///app/node_modules/@scope/metrics/index.js', [9]],
  ['sort', 'node:internal/util'],
];
const nodes: CpuProfile['nodes'] = frames.map(([functionName, url, children = []], index) => ({
  id: index + 1,
  callFrame: { functionName, url },
  children,
}));
const profileOf = (ids: readonly number[]): CpuProfile => ({ nodes, samples: ids, timeDeltas: ids.map(() => 500) });

it('has shares of the time that the thread was busy', () => {
  const { busy, parts } = sharesOf(profileOf([2, 2, 2, 2, 3, 5, 5, 5]));
  expect(busy).toBe(0.5);
  expect(parts).toEqual([
    { name: 'undici', share: 0.75 },
    { name: 'garbage collection', share: 0.25 },
  ]);
});

it('counts time in Node.js for the nearest caller outside of it', () => {
  const { parts } = sharesOf(profileOf([4, 6, 7, 9]));
  expect(parts).toEqual([
    { name: 'src/deliveries', share: 0.5 },
    { name: 'Node.js itself', share: 0.25 },
    { name: '@scope/metrics', share: 0.25 },
  ]);
});

it('counts what Node.js allocates for the nearest caller outside of it', () => {
  const allocationsOf = (id: number): AllocationNode => {
    const [functionName = '', url = '', children = []] = frames[id - 1] ?? [];
    return { callFrame: { functionName, url }, selfSize: 100 * id, children: children.map(allocationsOf) };
  };
  const { busy, parts } = sharesOfAllocations(allocationsOf(6));
  expect(busy).toBeUndefined();
  expect(parts).toEqual([{ name: 'src/deliveries', share: 1 }]);
  expect(sharesOfAllocations(allocationsOf(4)).parts).toEqual([
    { name: 'undici', share: 5 / 9 },
    { name: 'Node.js itself', share: 4 / 9 },
  ]);
});
