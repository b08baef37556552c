import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { FramedValues } from '../../../src/certificates/framing.ts';
import { unframe } from '../../../src/cli/configurations/stored.ts';
import { aConfiguration, json } from '../../support/builders.ts';

const framedValue = Buffer.from('0000000001', 'hex');

/** A registry that knows the schema after `answer` was called. */
function aRegistry() {
  const answered = Promise.withResolvers<void>();
  let isKnown = false;
  const framed: Pick<FramedValues, 'whenReadable' | 'read'> = {
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
  it('is returned unchanged if it is not framed', async () => {
    const value = json(aConfiguration());
    expect(await unframe(value, aRegistry().framed, AbortSignal.abort())).toEqual({ kind: 'json', bytes: value });
  });

  it('is decoded by its schema, even if the schema comes late', async () => {
    const { framed, answer } = aRegistry();
    const read = unframe(framedValue, framed, new AbortController().signal);
    await setImmediate();
    answer();
    expect(await read).toEqual({ kind: 'json', bytes: json(aConfiguration()) });
  });

  it('is refused if the signal aborts before the schema comes', async () => {
    const stop = new AbortController();
    const read = unframe(framedValue, aRegistry().framed, stop.signal);
    await setImmediate();
    stop.abort();
    const problem = 'is framed with a schema that the schema registry has not given';
    expect(await read).toEqual({ kind: 'refused', problem });
  });
});
