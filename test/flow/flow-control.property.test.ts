import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FlowLimits } from '../../src/flow/limits.ts';
import type { Pool } from '../../src/deliveries/delivery.ts';
import { casesOf, longProperty } from '../support/long-property.ts';
import type { OnStart } from './support/flow-model.ts';
import { FlowWorld, shortHoldMs, type Step } from './support/flow-world.ts';

const cases = casesOf(1500);
const pool = fc.constantFrom<Pool>('first', 'retry');
const which = fc.nat(1000);
const ownerId = fc.constantFrom('a', 'a', 'b', 'c');
const onStart = fc.array(fc.constantFrom<OnStart>('endpoint', 'endpoint', 'suspect', 'paced', 'outside'), {
  minLength: 1,
  maxLength: 4,
});
const holdMs = fc.constantFrom(0, shortHoldMs, shortHoldMs + 1);
const kind = <Kind extends Step['kind']>(one: Kind): fc.Arbitrary<Kind> => fc.constant(one);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: kind('hold'), pool, partition: which, ownerId, bytes: fc.nat(50), holdMs }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: kind('plan'),
      which,
      size: fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 120 }) },
      ),
      onStart,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('drop', 'wait', 'leave', 'outside', 'inside', 'inside'), which }),
  },
  { weight: 6, arbitrary: fc.record({ kind: kind('end'), which, count: fc.integer({ min: 1, max: 60 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('turn', 'settle') }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('drain'), pool }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('begin'), pool, partitions: fc.integer({ min: 1, max: 4 }) }) },
);

const limits: fc.Arbitrary<Omit<FlowLimits, 'sharedEqually' | 'shortHoldMs' | 'occupation'>> = fc.record({
  maxRecords: fc.integer({ min: 1, max: 30 }),
  maxPending: fc.integer({ min: 1, max: 30 }),
  maxDeliveries: fc.integer({ min: 1, max: 400 }),
  maxBytes: fc.integer({ min: 1, max: 1000 }),
  maxSpan: fc.constant(1000),
  window: fc.integer({ min: 1, max: 100 }),
});

const nothing = { records: 0, pending: 0, deliveries: 0, bytes: 0 };

it(
  `flow control agrees with a model that counts everything each time, in ${cases} runs`,
  { ...longProperty(), timeout: 600_000 },
  () => {
    fc.assert(
      fc.property(limits, limits, fc.array(step, { maxLength: 150, size: 'max' }), (first, retry, steps) => {
        const world = new FlowWorld({ first, retry });
        for (const one of steps) world.run(one);
        expect(world.endAll()).toEqual([nothing, nothing]);
      }),
      { numRuns: cases },
    );
  },
);
