import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { completionScript } from '../../src/cli/completion.ts';
import { commandUsages, firstWords, shells, usagesOf, type Shell } from '../../src/cli/command-usages.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { needs } from '../support/programs/needs.ts';
import { findProgram } from '../support/programs/programs.ts';

/** A function of each shell that prints what may follow its arguments. Its words stand for what the shell does itself. */
const complete: Readonly<Record<Shell, string>> = {
  bash: `ask() { COMP_WORDS=(certificate-webhooks "$@" ''); COMP_CWORD=$(($# + 1)); _certificate_webhooks; echo "\${COMPREPLY[*]}"; }`,
  zsh: `ask() { local -a words=(certificate-webhooks "$@" ''); local CURRENT=$#words; _certificate_webhooks; }
compadd() { shift; print -r -- "$@"; }`,
  fish: `function ask
  set -l before "certificate-webhooks $argv"
  echo (begin; complete -C "$before "; complete -C "$before --"; end | string replace -r '\\t.*' '')
end`,
};

describe.each(shells)('the completion of %s', (shell) => {
  it('knows all commands, verbs and options', needs(shell), async () => {
    await using empty = await writeTemporaryFiles({});
    const words = ['', ...new Set([...firstWords, ...Object.keys(commandUsages)])];
    const stubs = shell === 'zsh' ? 'compdef() { :; }\n' : '';
    const script = [stubs, completionScript(shell), complete[shell], ...words.map((word) => `ask ${word}`)].join('\n');
    const options = {
      cwd: empty.root,
      env: { HOME: empty.root, PATH: process.env['PATH'] },
      encoding: 'utf8',
    } as const;
    const { stdout, stderr } = spawnSync(String(findProgram(shell)), ['-c', script], options);
    expect(stderr).toBe('');
    const found = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ').filter(Boolean).toSorted());
    expect(found).toEqual(words.map((word) => expectedAfter(word).toSorted()));
  });
});

function expectedAfter(word: string): readonly string[] {
  if (word === '') return firstWords;
  const [only, ...others] = usagesOf(word);
  if (only === undefined || only[0] !== word || others.length > 0)
    return usagesOf(word).map(([name]) => name.slice(word.length + 1));
  const [, { options, operands }] = only;
  return [
    ...(word === 'completion' ? operands.split('|') : []),
    ...Object.keys(options).map((option) => `--${option}`),
    '--help',
  ];
}
