import fc from 'fast-check';
import { expect, it } from 'vitest';
import { casesOf, longProperty } from '../../support/long-property.ts';
import { minute, ReplayModel, type LetterKind, type Run } from './replay-model.ts';

const hour = 60 * minute;

it('a delivery is not repeated by a replay that was killed, however many others ran in between', async () => {
  const model = new ReplayModel();
  for (const kind of ['delivery of one', 'delivery of other', 'delivery of one'] as const) model.fail(kind);
  const ofOne = { filter: { webhookId: 'one' }, skewMs: 0 };
  const ofOther = { filter: { webhookId: 'other' }, skewMs: 0 };
  // Two deliveries are written, and no marker.
  await model.replay({ ...ofOne, killedAfter: 2 });
  model.pass(hour);
  await model.replay({ ...ofOther, killedAfter: undefined });
  await model.replay({ ...ofOne, killedAfter: undefined });
  expect(model.letters.map((letter) => model.copiesByDelivery(letter))).toEqual([[1], [1], [1]]);
  expect(model.letters.map(({ record }) => model.isMarked(record))).toEqual([true, true, true]);
});

type Step =
  | { readonly kind: 'fail'; readonly letter: LetterKind }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'replay'; readonly run: Run };

const letterKinds: readonly LetterKind[] = ['delivery of one', 'delivery of other', 'record', 'record of a tier'];

const filters: fc.Arbitrary<Run['filter']> = fc.oneof(
  fc.constantFrom<Run['filter']>({}, { webhookId: 'one' }, { webhookId: 'other' }, { reason: 'undecodable' }),
  fc.record({ limit: fc.integer({ min: 1, max: 8 }) }),
);

const runs: fc.Arbitrary<Run> = fc.record({
  filter: filters,
  killedAfter: fc.option(fc.nat(12), { nil: undefined }),
  skewMs: fc.integer({ min: -9 * minute, max: 9 * minute }),
});

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('fail' as const), letter: fc.constantFrom(...letterKinds) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 3 * hour }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('replay' as const), run: runs }) },
);

async function take(model: ReplayModel, step: Step): Promise<void> {
  switch (step.kind) {
    case 'fail':
      return model.fail(step.letter);
    case 'pass':
      return model.pass(step.ms);
    case 'replay':
      return model.replay(step.run);
  }
}

it('replays repeat only records that a killed run wrote without a marker, once per kill', longProperty(), async () => {
  const property = fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 30 }), async (all) => {
    const model = new ReplayModel();
    for (const step of all) await take(model, step);
    await model.replay({ filter: {}, killedAfter: undefined, skewMs: 0 });
    for (const letter of model.letters) {
      const copies = model.copiesByDelivery(letter);
      const most = letter.kind.startsWith('delivery') ? 1 : 1 + letter.kills;
      expect(copies).toHaveLength(model.wantedDeliveries(letter));
      expect(Math.max(...copies)).toBeLessThanOrEqual(most);
      expect(model.isMarked(letter.record)).toBe(true);
    }
    for (const { printed, written } of model.repeats) expect(printed).toBe(written);
  });
  await fc.assert(property, { numRuns: casesOf(500) });
});
