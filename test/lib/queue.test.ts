import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Queue } from '../../src/lib/queue.ts';

const count = fc.integer({ min: 1, max: 40 });
const operations = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('push'), count }) },
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('shift'), count }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear'), count }) },
  ),
  { maxLength: 200 },
);

it('does as an array does, whatever is pushed and shifted', () => {
  fc.assert(
    fc.property(operations, (all) => {
      const [queue, model] = [new Queue<number>(), new Array<number>()];
      let next = 0;
      for (const operation of all) {
        for (let done = 0; done < operation.count; done += 1) {
          next += 1;
          expect(apply(operation.kind, queue, next)).toBe(applyToArray(operation.kind, model, next));
        }
        expect([...queue]).toEqual(model);
        expect([queue.length, queue.peek(), queue.last()]).toEqual([model.length, model[0], model.at(-1)]);
      }
    }),
  );
});

it('starts with the items that it is given', () => {
  expect(new Queue(['a', 'b']).shift()).toBe('a');
});

/** Returns the item that was removed, if any. */
function apply(kind: string, queue: Queue<number>, item: number): number | undefined {
  if (kind === 'shift') return queue.shift();
  if (kind === 'push') queue.push(item);
  else queue.clear();
  return undefined;
}

function applyToArray(kind: string, items: number[], item: number): number | undefined {
  if (kind === 'shift') return items.shift();
  if (kind === 'push') items.push(item);
  else items.length = 0;
  return undefined;
}
