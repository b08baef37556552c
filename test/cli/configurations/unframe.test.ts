import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { FramedValues } from '../../../src/certificates/framing.ts';
import { unframe } from '../../../src/cli/configurations/unframe.ts';
import { aConfiguration, json } from '../../support/builders.ts';

const framedValue = Buffer.from('0000000001', 'hex');

/** A registry that knows the schema once it is told to answer. */
function aRegistry() {
  const answered = Promise.withResolvers<void>();
  let isKnown = false;
  const framed: FramedValues = {
    whenReadable: () => (isKnown ? undefined : answered.promise),
    read: () => ({ kind: 'json', document: aConfiguration(), bytes: json(aConfiguration()) }),
  };
  const answer = (): void => {
    isKnown = true;
    answered.resolve();
  };
  return { framed, answer };
}

describe('a value of the configurations topic', () => {
  it('is read as it is when it is in no frame', async () => {
    const value = json(aConfiguration());
    expect(await unframe(value, aRegistry().framed, AbortSignal.abort())).toBe(value);
  });

  it('is what its schema makes of it, however long that takes to come', async () => {
    const { framed, answer } = aRegistry();
    const read = unframe(framedValue, framed, new AbortController().signal);
    await setImmediate();
    answer();
    expect(await read).toEqual(json(aConfiguration()));
  });

  it('stays as it is when the schema does not come in time', async () => {
    const stop = new AbortController();
    const read = unframe(framedValue, aRegistry().framed, stop.signal);
    await setImmediate();
    stop.abort();
    expect(await read).toBe(framedValue);
  });
});
