import { describe, expect, it } from 'vitest';
import { subscribers } from '../subscribers/subscribers.ts';
import type { Attempt } from '../scenario/attempt.ts';
import { plainText, span } from './line.ts';
import { noteOf } from './notes.ts';
import { sceneLines, sceneSummary, type Scene } from './overview.ts';
import { Ticker } from './ticker.ts';

const note = { line: [span('a note')], isTelling: true };

function aScene(overrides: Partial<Scene> = {}): Scene {
  return {
    certificates: { done: 156, total: 312 },
    deliveries: { done: 300, total: 300 },
    rows: subscribers.map((subscriber) => ({
      subscriber,
      wanted: 112,
      standing: { delivered: 112, waiting: 16, retries: 999, dead: 10 },
    })),
    notes: [],
    ...overrides,
  };
}

describe('a scene', () => {
  it('has a bar as long as what is done, and one row for each webhook', () => {
    const texts = sceneLines(aScene()).map(plainText);
    expect(texts).toContain(`  certificates produced ${'━'.repeat(18)}${'─'.repeat(18)}  156 of 312`);
    expect(texts).toContain('  Summit, fails twice   bearer_token    112/112       16      999    10');
  });

  it('fits 80 columns and 24 rows', () => {
    const texts = sceneLines(aScene({ notes: Array.from({ length: 50 }, () => note) })).map(plainText);
    expect(texts.filter((text) => text.length > 80)).toEqual([]);
    expect(texts.length).toBeLessThan(24);
  });

  it('fits one line as a summary', () => {
    const summary = plainText(sceneSummary(aScene()));
    expect(summary).toBe('  produced 156/312, settled 300/300: 784 delivered, 70 dead; 112 waiting');
  });
});

describe('where lines stay', () => {
  it('each telling note is told once', () => {
    const ticker = new Ticker(aScene());
    const untold = { ...note, isTelling: false };
    expect(ticker.news(aScene({ notes: [note, untold] }), 1)).toEqual([note.line]);
    expect(ticker.news(aScene({ notes: [note, untold] }), 2)).toEqual([]);
    expect(ticker.news(aScene({ notes: [note, untold, note] }), 3)).toEqual([note.line]);
  });

  it('what was there at first is told already', () => {
    expect(new Ticker(aScene({ notes: [note] })).news(aScene({ notes: [note, note] }), 1)).toEqual([note.line]);
  });

  it('a summary comes every two seconds, if it is another one', () => {
    const ticker = new Ticker(aScene());
    expect(ticker.news(aScene(), 20)).toEqual([]);
    const later = aScene({ certificates: { done: 312, total: 312 } });
    expect(ticker.news(later, 39)).toEqual([]);
    expect(ticker.news(later, 40)).toEqual([sceneSummary(later)]);
    expect(ticker.news(later, 60)).toEqual([]);
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
    [{}, 'attempt 2: 503, again in 2s'],
    [{ outcome: 'timeout', status: undefined }, 'attempt 2: timeout, again in 2s'],
    [{ settlement: 'dead' }, 'attempt 2: 503, dead letter'],
    [{ settlement: 'done', status: 200 }, 'attempt 2: 200, delivered'],
  ])('of %j says %s', (change, text) => {
    const line = noteOf({ ...attempt, ...change }, 'Summit');
    expect(line === undefined ? '' : plainText(line)).toBe(`  Summit                certificate …abcd, ${text}`);
  });

  it('is not made of what goes well at once', () => {
    expect(noteOf({ ...attempt, attempt: 1, settlement: 'done' }, 'Summit')).toBeUndefined();
  });
});
