import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { OpeningSink } from '../../src/webhooks/opening-sink.ts';
import { sealDocument } from '../../src/webhooks/sealing/seal-document.ts';
import { aConfiguration, json } from '../support/builders.ts';
import { createOpening, plain, right, sealed, wrong } from './sealing/opening.ts';

describe('sealed configurations on their way to the directory', () => {
  it('are there, opened, once all that came is settled, and not before', async () => {
    await using one = createOpening(right);
    one.opening.upsert('a', await sealed('a', 1));
    one.opening.upsert('b', json(plain('b', 2)));
    expect([one.held('a', 'b'), one.opening.waiting]).toEqual([[undefined, undefined], 2]);
    await one.opening.settled();
    expect([one.held('a', 'b'), one.opening.waiting]).toEqual([['1', '2'], 0]);
    expect(one.directory.byId('a')?.endpoint().customHeaders).toMatchObject({ 'X-Environment': 'production' });
  });

  it('are refused when no key opens them, with their owner and their events, and the reason', async () => {
    await using one = createOpening(wrong);
    one.opening.upsert('a', await sealed('a', 1));
    await one.opening.settled();
    expect(one.directory.ofOwner('owner')).toMatchObject([{ id: 'a', state: 'invalid' }]);
    const problem = 'is sealed by A256KW with the key "right", and WEBHOOK_KEYS_FILE holds no such key';
    expect(one.refusals).toEqual([`a: auth: ${problem}, customHeaders: ${problem}`]);
  });

  it('are refused with what is inside told as little as ever', async () => {
    await using one = createOpening(right);
    const [key] = right;
    const document = aConfiguration({
      _id: 'a',
      auth: { authType: 'bearer_token', token: 'hush\n' },
      url: 'http://a/',
    });
    if (key === undefined) throw new Error('There is a key.');
    one.opening.upsert('a', json({ ...document, ...(await sealDocument(document, key)) }));
    await one.opening.settled();
    expect(one.refusals).toEqual(['a: url: must be an absolute https: URL, auth.token: must be printable ASCII']);
  });

  it('open once a key comes that opens them, without a new version', async () => {
    await using one = createOpening(wrong);
    for (const id of ['a', 'b']) one.opening.upsert(id, await sealed(id, 1));
    await one.opening.settled();
    one.opening.useKeys([...right, ...wrong]);
    await one.opening.settled();
    expect(one.held('a', 'b')).toEqual(['1', '1']);
    expect(one.refusals).toHaveLength(2);
  });

  it('open with the key that comes while they are tried with another', async () => {
    await using one = createOpening(wrong);
    one.opening.upsert('a', await sealed('a', 1));
    const settled = one.opening.settled();
    await Promise.resolve();
    await Promise.resolve();
    one.opening.useKeys(right);
    await settled;
    expect([one.held('a'), one.refusals]).toEqual([['1'], []]);
  });

  it('stay open when their key is taken away, and their next version does not open', async () => {
    await using one = createOpening(right);
    one.opening.upsert('a', await sealed('a', 1));
    await one.opening.settled();
    one.opening.useKeys(wrong);
    await one.opening.settled();
    expect(one.held('a')).toEqual(['1']);
    one.opening.upsert('a', await sealed('a', 2));
    await one.opening.settled();
    expect(one.held('a')).toEqual(['invalid']);
  });

  it.each<readonly [string, (opening: OpeningSink) => void, unknown]>([
    ['removed', (opening) => opening.remove('a'), undefined],
    ['refused by their source', (opening) => opening.refuse('a', 'must be framed'), 'invalid'],
    ['replaced by a version in clear', (opening) => opening.upsert('a', json(plain('a', 2))), '2'],
    ['not in the set that takes the place of all', (opening) => opening.replaceAll([]), undefined],
  ])('are not brought back by their key when they are %s', async (_, change, expected) => {
    await using one = createOpening(wrong);
    one.opening.upsert('a', await sealed('a', 1));
    await one.opening.settled();
    change(one.opening);
    one.opening.useKeys(right);
    await one.opening.settled();
    expect(one.held('a')).toEqual([expected]);
    one.opening.useKeys([...right]);
    await one.opening.settled();
    expect(one.held('a')).toEqual([expected]);
  });

  it('are the same version as before when they are sealed anew', async () => {
    await using one = createOpening(right);
    one.opening.upsert('a', await sealed('a', 1));
    await one.opening.settled();
    const before = one.directory.byId('a');
    one.opening.upsert('a', await sealed('a', 1));
    await one.opening.settled();
    expect(one.directory.byId('a')).toBe(before);
  });

  it('are refused in clear where they have to be sealed, and accepted when they are', async () => {
    await using one = createOpening(right, true);
    const steps = [json(plain('a', 1)), await sealed('a', 1), json(plain('a', 1))];
    const states: unknown[] = [];
    for (const document of steps) {
      one.opening.upsert('a', document);
      await one.opening.settled();
      states.push(one.directory.byId('a')?.state);
    }
    expect(states).toEqual(['invalid', 'active', 'invalid']);
    expect(one.refusals[0]).toBe('a: auth: must be sealed, customHeaders: must be sealed');
  });

  it('take the place of all others at once', async () => {
    await using one = createOpening(right);
    one.opening.upsert('old', await sealed('old', 1));
    await one.opening.settled();
    const ids = Array.from({ length: 50 }, (_, index) => `new-${index}`);
    one.opening.replaceAll(await Promise.all(ids.map(async (id) => ({ id, document: await sealed(id, 1) }))));
    const seen = new Set<string>();
    await turnsUntil(one.opening.settled(), () => {
      seen.add(`old: ${one.held('old').join()}, all: ${one.directory.counts().active}`);
    });
    expect([...seen]).toEqual(['old: 1, all: 1', 'old: , all: 50']);
  });

  it('are waited for by who waited for what the set takes the place of', async () => {
    await using one = createOpening(right);
    const [old, replacement] = [await sealed('old', 1), await sealed('new', 1)];
    one.opening.upsert('old', old);
    const settled = one.opening.settled();
    one.opening.replaceAll([{ id: 'new', document: replacement }]);
    await settled;
    expect(one.held('old', 'new')).toEqual([undefined, '1']);
  });

  it('let others in however many there are', async () => {
    await using one = createOpening(right);
    for (let index = 0; index < 10_000; index += 1) one.opening.upsert(`${index}`, json(plain(`${index}`, 1)));
    expect(await turnsUntil(one.opening.settled())).toBeGreaterThan(3);
    expect(one.directory.counts().active).toBe(10_000);
  });

  it('are settled for nobody once the way is closed', async () => {
    const one = createOpening(right);
    one.opening.upsert('a', await sealed('a', 1));
    const settled = one.opening.settled();
    await Promise.all([expect(settled).rejects.toThrow('no longer opened'), one[Symbol.asyncDispose]()]);
    await expect(one.opening.settled()).rejects.toThrow('no longer opened');
  });
});

/** How often others have their turn until then; they may look each time, and once afterwards. */
async function turnsUntil(end: Promise<void>, look = (): void => undefined): Promise<number> {
  const state = { isOver: false };
  const ended = end.then(() => (state.isOver = true));
  let turns = 0;
  for (; !state.isOver; turns += 1) {
    look();
    await setImmediate();
  }
  await ended;
  look();
  return turns;
}
