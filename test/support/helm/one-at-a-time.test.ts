import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { needs } from '../programs/needs.ts';
import { oneAtATime } from './one-at-a-time.ts';

it('runs one work at a time, and the next one after its end or failure', needs('flock'), async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'one-at-a-time-'));
  const lockFile = join(folder.path, 'lock');
  const events: string[] = [];
  const work = (name: string, result: () => string) => async (): Promise<string> => {
    events.push(`${name} begins`);
    await setImmediate();
    events.push(`${name} ends`);
    return result();
  };
  const fail = (): never => {
    throw new Error('no network');
  };
  const [first, second, third] = await Promise.allSettled([
    oneAtATime(
      lockFile,
      work('one', () => 'done'),
    ),
    oneAtATime(lockFile, work('two', fail)),
    oneAtATime(
      lockFile,
      work('three', () => 'done'),
    ),
  ]);
  expect([first.status, second.status, third.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const names = events.map((line) => line.split(' ')[0]);
  expect(names).toEqual([names[0], names[0], names[2], names[2], names[4], names[4]]);
  expect(new Set(names).size).toBe(3);
});
