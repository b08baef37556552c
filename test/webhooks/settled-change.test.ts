import { describe, expect, it } from 'vitest';
import { SettledChange } from '../../src/webhooks/files/file-watch.ts';

describe('a change of files', () => {
  it('is ignored when the files return to their loaded state', () => {
    const change = new SettledChange('one');
    expect(['two', 'one', 'one'].map((seen) => change.isDue(seen, 0))).toEqual([false, false, false]);
  });

  it('that failed to load is loaded again when the files change, or after a minute', () => {
    const change = new SettledChange('one');
    change.isDue('two', 0);
    change.markFailed('two', 0);
    expect([change.isDue('two', 1), change.isDue('two', 59_999), change.isDue('two', 60_000)]).toEqual([
      false,
      false,
      true,
    ]);
    expect([change.isDue('one', 2), change.isDue('one', 3)]).toEqual([false, true]);
  });

  it('that was loaded after a failure is not loaded again', () => {
    const change = new SettledChange('one');
    change.markFailed('two', 0);
    change.markLoaded('two');
    expect([change.isDue('two', 60_000), change.isDue('two', 60_001)]).toEqual([false, false]);
  });
});
