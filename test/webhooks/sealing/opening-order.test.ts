import { setImmediate } from 'node:timers/promises';
import { array, assert as assertProperty, asyncProperty, constantFrom, nat, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OpeningSink } from '../../../src/webhooks/opening-sink.ts';
import { json } from '../../support/builders.ts';
import { keySet, secretJwk } from '../../support/keys.ts';
import { createOpening, plain, right, sealed } from './opening.ts';

/** What a source, a key or somebody who waits does; and what the directory is to hold then, by id. */
interface Step {
  readonly opening: OpeningSink;
  readonly model: Map<string, string>;
  readonly id: string;
  readonly version: number;
  readonly sealed: Buffer;
  readonly lost: Buffer;
  /** Compares the directory with the model. */
  readonly look: () => void;
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
    opening.refuse(id, 'must be framed');
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
  settle: async ({ opening, look }) => {
    await opening.settled();
    look();
  },
};

describe('any order of changes', () => {
  const ids = ['0', '1', '2'];

  it('ends with the newest version of each, and every settled moment has all that came before', async () => {
    const opened = await Promise.all(
      ids.map(async (id) => Promise.all([0, 1, 2].map((version) => sealed(id, version)))),
    );
    const lost = await Promise.all(ids.map(async (id) => sealed(id, 9, keySet(secretJwk('lost')))));
    const doing = constantFrom(...Object.keys(steps), 'upsertSealed', 'settle', 'waitForTurn');
    await assertProperty(
      asyncProperty(array(tuple(doing, nat(2), nat(2)), { maxLength: 40 }), async (story) => {
        await using one = createOpening(right);
        const model = new Map<string, string>();
        const [found, wanted]: [unknown[], unknown[]] = [[], []];
        const look = (): void => {
          found.push(one.held(...ids));
          wanted.push(ids.map((id) => model.get(id)));
        };
        for (const [does, number, version] of story) {
          const [sealedOne = Buffer.of(), lostOne = Buffer.of()] = [opened[number]?.[version], lost[number]];
          const step = { id: String(number), version, sealed: sealedOne, lost: lostOne };
          await steps[does]?.({ opening: one.opening, model, look, ...step });
        }
        await one.opening.settled();
        look();
        expect(found).toEqual(wanted);
        expect(one.opening.waiting).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});
