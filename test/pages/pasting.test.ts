import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readPages, scriptsOf } from '../docs/support/page.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { needs } from '../support/programs/needs.ts';
import { findProgram } from '../support/programs/programs.ts';
import { preamble } from './support/incident.ts';

const scripts = readPages().flatMap((page) => scriptsOf(page).map((script) => ({ path: page.path, script })));

describe.each(['bash', 'zsh', 'dash'] as const)('pasted into %s', (shell) => {
  const options = needs(shell, 'jq');

  it('every shell block has valid syntax', options, () => {
    const errorsIn = (script: string): string => run(shell, ['-n'], script).stderr;
    // One after the other only if something is wrong in all of them together.
    const all = errorsIn(scripts.map(({ script }) => script).join('\n'));
    const wrong = all === '' ? [] : scripts.map(({ path, script }) => `${path}: ${errorsIn(script)}`);
    expect([all, ...wrong.filter((text) => !text.endsWith(': '))]).toEqual(['']);
  });

  it('the first block of the procedures gives the commands of the others', options, async () => {
    await using folder = await writeTemporaryFiles({});
    await writeFile(folder.path('kubectl'), kubectl, { mode: 0o755 });
    const script = `PATH=${folder.root}:$PATH\n${preamble}\ncertificate-webhooks topics --create 'a b'\nask /readyz\nwarnings 1h\n`;
    // Bash expands an alias in a terminal alone, unless it is told to.
    const { stdout, stderr } = run(shell, shell === 'bash' ? ['-O', 'expand_aliases'] : [], script);
    expect(stderr).toBe('pod/a\npod/b\n');
    expect(stdout.split('\n')).toEqual([
      '[-n] [certificate-webhooks] [exec] [deploy/certificate-webhooks] [--] [node] [src/main.ts] [topics] [--create] [a b] ',
      expect.stringMatching(/ \[exec\] \[pod\/a\] \[--\] \[node\] \[-e\] .* \[\/readyz\] $/) as string,
      expect.stringMatching(/ \[exec\] \[pod\/b\] \[--\] \[node\] \[-e\] .* \[\/readyz\] $/) as string,
      expect.stringMatching(/^ +2 handoff\.failed \| a$/) as string,
      '',
    ]);
  });
});

/** Prints its arguments. It has two pods with one warning each. */
const kubectl = `#!/bin/sh
case "$*" in
  *' get pods '*) echo pod/a; echo pod/b ;;
  *' logs '*) for POD in a b; do echo '{"level":"warn","event":"handoff.failed","topic":"a"}'; done ;;
  *) for WORD in "$@"; do printf '[%s] ' "$WORD" | tr -d '\\n'; done; echo ;;
esac
`;

function run(shell: 'bash' | 'zsh' | 'dash', args: readonly string[], input: string) {
  return spawnSync(String(findProgram(shell)), [...args], {
    input,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
}
