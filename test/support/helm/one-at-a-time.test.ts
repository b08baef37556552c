import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { needs } from '../programs/needs.ts';
import { oneAtATime } from './one-at-a-time.ts';

it('lets one work at a time, and the next one once it is done or has failed', needs('flock'), async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'one-at-a-time-'));
  const lockFile = join(folder.path, 'lock');
  const story: string[] = [];
  const work = (name: string, result: () => string) => async (): Promise<string> => {
    story.push(`${name} begins`);
    await setImmediate();
    story.push(`${name} ends`);
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
  const names = story.map((line) => line.split(' ')[0]);
  expect(names).toEqual([names[0], names[0], names[2], names[2], names[4], names[4]]);
  expect(new Set(names).size).toBe(3);
});
