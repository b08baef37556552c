import { existsSync, readlinkSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readText, root } from '../../../support/files/sources.ts';
import { checkOut, type Run } from './revision.ts';

const lock = readText('package-lock.json');

it('shares the packages with a state that has the same ones, and is gone in the end', async () => {
  const machine = new Machine(lock);
  {
    await using state = await checkOut('v1', machine.run);
    expect(state.program).toBe(join(machine.folder, 'src', 'main.ts'));
    expect(readlinkSync(join(machine.folder, 'node_modules'))).toBe(join(root, 'node_modules'));
  }
  expect(machine.told).toEqual(['git worktree add --detach STATE v1', 'git worktree remove --force STATE']);
  expect(existsSync(dirname(machine.folder))).toBe(false);
  expect(existsSync(join(root, 'node_modules', 'vitest'))).toBe(true);
});

it('installs the packages of a state that has others', async () => {
  const machine = new Machine('{}');
  await using _state = await checkOut('v1', machine.run);
  expect(machine.told.at(-1)).toBe('npm ci --no-audit --no-fund');
});

it('leaves nothing behind when packages can not be installed', async () => {
  const machine = new Machine('{}', 'npm');
  await expect(checkOut('v1', machine.run)).rejects.toThrow('npm failed');
  expect(machine.told.at(-1)).toBe('git worktree remove --force STATE');
  expect(existsSync(dirname(machine.folder))).toBe(false);
});

it('leaves nothing behind when there is no such state', async () => {
  const machine = new Machine(lock, 'git');
  await expect(checkOut('no-such-ref', machine.run)).rejects.toThrow('git failed');
  expect(machine.told).toEqual(['git worktree add --detach STATE no-such-ref']);
  expect(existsSync(dirname(machine.folder))).toBe(false);
});

/** Does to a folder what the commands would do, and notes what they were. */
class Machine {
  readonly told: string[] = [];
  /** Of the other state. */
  folder = '';
  readonly #lock: string;
  readonly #failing: string | undefined;

  /** It has that lock file, and one command that fails. */
  constructor(otherLock: string, failing?: string) {
    this.#lock = otherLock;
    this.#failing = failing;
  }

  readonly run: Run = async (command, words) => {
    this.folder ||= words[3] ?? '';
    this.told.push([command, ...words].join(' ').replace(this.folder, 'STATE'));
    if (command === this.#failing) throw new Error(`${command} failed`);
    if (words[1] === 'add') {
      await mkdir(this.folder);
      await writeFile(join(this.folder, 'package-lock.json'), this.#lock);
    }
    if (words[1] === 'remove') await rm(this.folder, { recursive: true });
  };
}
