import { setImmediate } from 'node:timers/promises';
import { array, assert as assertProperty, asyncProperty, constantFrom, nat, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VersionReader } from '../../src/webhooks/version-reader.ts';
import { json } from '../support/builders.ts';
import { keySet, secretJwk } from '../support/keys.ts';
import { createOpening, plain, right, sealed, unreadable } from './opening.ts';

/** The arguments of one step: the sink, and a model of what the directory must hold afterwards. */
interface Step {
  readonly opening: VersionReader;
  /** The expected token or state, by id. */
  readonly model: Map<string, string>;
  readonly id: string;
  readonly version: number;
  readonly sealed: Buffer;
  readonly lost: Buffer;
  /** Records the directory's and the model's content, to be compared at the end. */
  readonly recordContents: () => void;
}

const steps: Readonly<Record<string, (step: Step) => void | Promise<void>>> = {
  upsert: ({ opening, model, id, version }) => {
    opening.upsert(id, json(plain(id, version)));
    model.set(id, String(version));
  },
  upsertSealed: ({ opening, model, id, version, ...step }) => {
    opening.upsert(id, step.sealed);
    model.set(id, String(version));
  },
  upsertLost: ({ opening, model, id, lost }) => {
    opening.upsert(id, lost);
    model.set(id, 'invalid');
  },
  remove: ({ opening, model, id }) => {
    opening.remove(id);
    model.delete(id);
  },
  refuse: ({ opening, model, id }) => {
    opening.upsert(id, unreadable);
    model.set(id, 'invalid');
  },
  replaceAll: ({ opening, model, id, version, ...step }) => {
    opening.replaceAll([{ id, document: step.sealed }]);
    model.clear();
    model.set(id, String(version));
  },
  changeKeys: ({ opening }) => opening.useKeys([...right]),
  waitForMicrotask: () => Promise.resolve(),
  waitForTurn: () => setImmediate(),
  settle: async ({ opening, recordContents }) => {
    await opening.settled();
    recordContents();
  },
};

describe('any order of changes', () => {
  const ids = ['0', '1', '2'];

  it('ends with the newest version of each, and settles with every earlier change applied', async () => {
    const opened = await Promise.all(
      ids.map(async (id) => Promise.all([0, 1, 2].map((version) => sealed(id, version)))),
    );
    const lost = await Promise.all(ids.map(async (id) => sealed(id, 9, keySet(secretJwk('lost')))));
    const stepName = constantFrom(...Object.keys(steps), 'upsertSealed', 'settle', 'waitForTurn');
    await assertProperty(
      asyncProperty(array(tuple(stepName, nat(2), nat(2)), { maxLength: 40 }), async (scenario) => {
        await using one = createOpening(right);
        const model = new Map<string, string>();
        const [actual, expected]: [unknown[], unknown[]] = [[], []];
        const recordContents = (): void => {
          actual.push(one.held(...ids));
          expected.push(ids.map((id) => model.get(id)));
        };
        for (const [name, number, version] of scenario) {
          const [sealedOne = Buffer.of(), lostOne = Buffer.of()] = [opened[number]?.[version], lost[number]];
          const step = { id: String(number), version, sealed: sealedOne, lost: lostOne };
          await steps[name]?.({ opening: one.opening, model, recordContents, ...step });
        }
        await one.opening.settled();
        recordContents();
        expect(actual).toEqual(expected);
        expect(one.opening.waiting).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});
