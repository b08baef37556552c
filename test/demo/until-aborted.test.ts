import { describe, expect, it } from 'vitest';
import { untilAborted } from './until-aborted.ts';

const never = new Promise<never>(() => undefined);

describe('waiting until the signal is aborted', () => {
  it('resolves to the value of the promise', async () => {
    await expect(untilAborted(new AbortController().signal, Promise.resolve(7))).resolves.toBe(7);
  });

  it('rejects with the reason as soon as the signal is aborted', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(controller.signal, never);
    controller.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
  });

  it('rejects at once when the signal is already aborted', async () => {
    await expect(untilAborted(AbortSignal.abort(new Error('stop')), never)).rejects.toThrow('stop');
  });
});
