import { describe, expect, it } from 'vitest';
import { subscribers } from '../subscribers/subscribers.ts';
import type { Attempt } from '../scenario/attempt.ts';
import { plainText, span } from './line.ts';
import { noteOf } from './notes.ts';
import { overviewLines, overviewSummary, type Overview } from './overview.ts';
import { Ticker } from './ticker.ts';

const note = { line: [span('a note')], isNotable: true };

function anOverview(overrides: Partial<Overview> = {}): Overview {
  return {
    certificates: { done: 156, total: 312 },
    deliveries: { done: 300, total: 300 },
    rows: subscribers.map((subscriber) => ({
      subscriber,
      wanted: 112,
      counts: { delivered: 112, waiting: 16, retries: 999, dead: 10 },
    })),
    notes: [],
    ...overrides,
  };
}

describe('an overview', () => {
  it('shows progress bars and one row for each webhook', () => {
    const texts = overviewLines(anOverview()).map(plainText);
    expect(texts).toContain(`  certificates produced ${'━'.repeat(18)}${'─'.repeat(18)}  156 of 312`);
    expect(texts).toContain('  Summit, fails twice   bearer_token    112/112       16      999    10');
  });

  it('fits into 80 columns and 24 rows', () => {
    const texts = overviewLines(anOverview({ notes: Array.from({ length: 50 }, () => note) })).map(plainText);
    expect(texts.filter((text) => text.length > 80)).toEqual([]);
    expect(texts.length).toBeLessThan(24);
  });

  it('has a summary of one line', () => {
    const summary = plainText(overviewSummary(anOverview()));
    expect(summary).toBe('  produced 156/312, settled 300/300: 784 delivered, 70 dead; 112 waiting');
  });
});

describe('on a plain screen', () => {
  it('each notable note is printed once', () => {
    const ticker = new Ticker(anOverview());
    const minor = { ...note, isNotable: false };
    expect(ticker.nextLines(anOverview({ notes: [note, minor] }), 1)).toEqual([note.line]);
    expect(ticker.nextLines(anOverview({ notes: [note, minor] }), 2)).toEqual([]);
    expect(ticker.nextLines(anOverview({ notes: [note, minor, note] }), 3)).toEqual([note.line]);
  });

  it('notes from before the start are not printed', () => {
    expect(new Ticker(anOverview({ notes: [note] })).nextLines(anOverview({ notes: [note, note] }), 1)).toEqual([
      note.line,
    ]);
  });

  it('a summary is printed every two seconds if it has changed', () => {
    const ticker = new Ticker(anOverview());
    expect(ticker.nextLines(anOverview(), 20)).toEqual([]);
    const later = anOverview({ certificates: { done: 312, total: 312 } });
    expect(ticker.nextLines(later, 39)).toEqual([]);
    expect(ticker.nextLines(later, 40)).toEqual([overviewSummary(later)]);
    expect(ticker.nextLines(later, 60)).toEqual([]);
  });
});

describe('a note', () => {
  const attempt: Attempt = {
    event: 'delivery.attempted',
    configurationId: 'a',
    certificateId: '507f1f77bcf86cd70000abcd',
    deliveryId: 'd',
    attempt: 2,
    outcome: 'http_error',
    status: 503,
    settlement: 'retry',
    tier: '2s',
  };

  it.each<readonly [Partial<Attempt>, string]>([
    [{}, 'attempt 2: 503, retry in 2s'],
    [{ outcome: 'timeout', status: undefined }, 'attempt 2: timeout, retry in 2s'],
    [{ settlement: 'dead' }, 'attempt 2: 503, dead letter'],
    [{ settlement: 'done', status: 200 }, 'attempt 2: 200, delivered'],
  ])('of %j says %s', (change, text) => {
    const line = noteOf({ ...attempt, ...change }, 'Summit');
    expect(line === undefined ? '' : plainText(line)).toBe(`  Summit                certificate …abcd, ${text}`);
  });

  it('is not written for a first attempt that succeeds', () => {
    expect(noteOf({ ...attempt, attempt: 1, settlement: 'done' }, 'Summit')).toBeUndefined();
  });
});
