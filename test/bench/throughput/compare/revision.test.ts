import { existsSync, readlinkSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readText, root } from '../../../support/files/sources.ts';
import { checkOutRevision, type RunCommand } from './revision.ts';

const lock = readText('package-lock.json');

it('shares the packages with a revision that has the same ones, and is removed at the end', async () => {
  const machine = new FakeMachine(lock);
  {
    await using revision = await checkOutRevision('v1', machine.run);
    expect(revision.program).toBe(join(machine.folder, 'src', 'main.ts'));
    expect(readlinkSync(join(machine.folder, 'node_modules'))).toBe(join(root, 'node_modules'));
  }
  expect(machine.commands).toEqual(['git worktree add --detach FOLDER v1', 'git worktree remove --force FOLDER']);
  expect(existsSync(dirname(machine.folder))).toBe(false);
  expect(existsSync(join(root, 'node_modules', 'vitest'))).toBe(true);
});

it('installs the packages of a revision that has others', async () => {
  const machine = new FakeMachine('{}');
  await using _revision = await checkOutRevision('v1', machine.run);
  expect(machine.commands.at(-1)).toBe('npm ci --no-audit --no-fund');
});

it('leaves nothing behind when packages can not be installed', async () => {
  const machine = new FakeMachine('{}', 'npm');
  await expect(checkOutRevision('v1', machine.run)).rejects.toThrow('npm failed');
  expect(machine.commands.at(-1)).toBe('git worktree remove --force FOLDER');
  expect(existsSync(dirname(machine.folder))).toBe(false);
});

it('leaves nothing behind when there is no such revision', async () => {
  const machine = new FakeMachine(lock, 'git');
  await expect(checkOutRevision('no-such-ref', machine.run)).rejects.toThrow('git failed');
  expect(machine.commands).toEqual(['git worktree add --detach FOLDER no-such-ref']);
  expect(existsSync(dirname(machine.folder))).toBe(false);
});

/** Records commands, and changes the folder as they would. */
class FakeMachine {
  readonly commands: string[] = [];
  /** The folder of the worktree. */
  folder = '';
  readonly #lock: string;
  readonly #failing: string | undefined;

  constructor(lockOfRevision: string, failing?: string) {
    this.#lock = lockOfRevision;
    this.#failing = failing;
  }

  readonly run: RunCommand = async (command, words) => {
    this.folder ||= words[3] ?? '';
    this.commands.push([command, ...words].join(' ').replace(this.folder, 'FOLDER'));
    if (command === this.#failing) throw new Error(`${command} failed`);
    if (words[1] === 'add') {
      await mkdir(this.folder);
      await writeFile(join(this.folder, 'package-lock.json'), this.#lock);
    }
    if (words[1] === 'remove') await rm(this.folder, { recursive: true });
  };
}
