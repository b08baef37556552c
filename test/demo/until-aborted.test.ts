import { describe, expect, it } from 'vitest';
import { untilAborted } from './until-aborted.ts';

const never = new Promise<never>(() => undefined);

describe('waiting until it is called off', () => {
  it('ends with what is waited for', async () => {
    await expect(untilAborted(new AbortController().signal, Promise.resolve(7))).resolves.toBe(7);
  });

  it('ends with the reason as soon as it is called off', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(controller.signal, never);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('does not begin when it was called off before', async () => {
    await expect(untilAborted(AbortSignal.abort(new Error('enough')), never)).rejects.toThrow('enough');
  });
});
