import { describe, expect, it } from 'vitest';
import { SettledChange } from '../../src/webhooks/settled-change.ts';

describe('a change of files', () => {
  it('is loaded once it has stood still from one look to the next', () => {
    const change = new SettledChange('one');
    const looks = ['one', 'two', 'three', 'three'].map((seen) => change.isDue(seen, 0));
    expect(looks).toEqual([false, false, false, true]);
  });

  it('is loaded once', () => {
    const change = new SettledChange('one');
    change.isDue('two', 0);
    expect(change.isDue('two', 0)).toBe(true);
    change.loaded('two');
    expect(change.isDue('two', 0)).toBe(false);
  });

  it('is none when the files are back as they were', () => {
    const change = new SettledChange('one');
    expect(['two', 'one', 'one'].map((seen) => change.isDue(seen, 0))).toEqual([false, false, false]);
  });

  it('that failed is tried again when the files change, or after a minute', () => {
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

  it('that was loaded after it failed is not tried again', () => {
    const change = new SettledChange('one');
    change.markFailed('two', 0);
    change.loaded('two');
    expect([change.isDue('two', 60_000), change.isDue('two', 60_001)]).toEqual([false, false]);
  });
});
