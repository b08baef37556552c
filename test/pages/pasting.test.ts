import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readPages, scriptsOf } from '../docs/support/page.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { needs } from '../support/programs/needs.ts';
import { findProgram } from '../support/programs/programs.ts';
import { preamble } from './support/incident.ts';

const scripts = readPages().flatMap(scriptsOf);

/** The options with which each shell treats its input as if somebody typed it. */
const interactive = { bash: ['--norc', '-i'], zsh: ['-f', '-i', '-o', 'NO_PROMPT_SP'], dash: ['-i'] } as const;

/** The programs of the blocks. Each is replaced by one that does nothing. */
const programs = [
  'cosign crane curl go helm jq kubectl node npm npx openssl setup-envtest',
  'comm cut grep head sed sort tail tr uniq wc',
  'kafka-acls.sh kafka-configs.sh kafka-console-consumer.sh kafka-console-producer.sh kafka-consumer-groups.sh',
  'kafka-topics.sh kafka-transactions.sh',
].flatMap((names) => names.split(' '));
const nothing = '#!/bin/sh\nexit 0\n';

describe.each(['bash', 'zsh', 'dash'] as const)('pasted into %s', (shell) => {
  const options = needs(shell, 'jq');

  it('every shell block is understood', options, async () => {
    await using folder = await writeTemporaryFiles({});
    await mkdir(folder.path('.ci'));
    await writeFile(folder.path('.ci/release'), nothing, { mode: 0o755 });
    for (const name of programs) await writeFile(folder.path(name), nothing, { mode: 0o755 });
    const pasted = [preamble, ...scripts, ''].join('\n');
    const { stderr } = run(shell, interactive[shell], { input: pasted, folder: folder.root, PATH: folder.root });
    const misunderstood =
      /not found|no matches|not valid|identifier|parse error|syntax error|unexpected|unterminated|bad (?:\w+ )?(?:name|pattern|substitution)/i;
    expect(stderr.split('\n').filter((line) => misunderstood.test(line))).toEqual([]);
  });

  it('the first block of the procedures gives the commands of the others', options, async () => {
    await using folder = await writeTemporaryFiles({});
    await writeFile(folder.path('kubectl'), kubectl, { mode: 0o755 });
    const script = `PATH=${folder.root}:$PATH\n${preamble}\ncertificate-webhooks topics --create 'a b'\nask /readyz\nwarnings 1h\n`;
    // Bash expands an alias in a terminal alone, unless it is told to.
    const { stdout, stderr } = run(shell, shell === 'bash' ? ['-O', 'expand_aliases'] : [], {
      input: script,
      folder: folder.root,
    });
    expect(stderr).toBe('pod/a\npod/b\n');
    expect(stdout.split('\n')).toEqual([
      '[-n] [certificate-webhooks] [exec] [deploy/certificate-webhooks] [--] [node] [src/main.ts] [topics] [--create] [a b] ',
      expect.stringMatching(/ \[exec\] \[pod\/a\] \[--\] \[node\] \[-e\] .* \[\/readyz\] $/) as string,
      expect.stringMatching(/ \[exec\] \[pod\/b\] \[--\] \[node\] \[-e\] .* \[\/readyz\] $/) as string,
      expect.stringMatching(/^ +2 handoff\.failed \| a$/) as string,
      expect.stringMatching(/^ +1 configuration\.refused \| w \| url is missing \| no events$/) as string,
      expect.stringMatching(/^ +1 circuit\.opened$/) as string,
      '',
    ]);
  });
});

/** Prints its arguments. It has two pods with the same warning, and two warnings more. */
const kubectl = `#!/bin/sh
case "$*" in
  *' get pods '*) echo pod/a; echo pod/b ;;
  *' logs '*) for POD in a b; do echo '{"level":"warn","event":"handoff.failed","topic":"a"}'; done
    echo '{"level":"warn","event":"configuration.refused","configurationId":"w","problems":["url is missing","no events"]}'
    echo '{"level":"warn","event":"circuit.opened","configurationId":"w"}' ;;
  *) for WORD in "$@"; do printf '[%s] ' "$WORD" | tr -d '\\n'; done; echo ;;
esac
`;

function run(
  shell: keyof typeof interactive,
  args: readonly string[],
  {
    input,
    folder,
    PATH = process.env['PATH'],
  }: { readonly input: string; readonly folder: string; readonly PATH?: string | undefined },
) {
  const env = { PATH, HOME: folder, PS1: '', PS2: '' };
  return spawnSync(String(findProgram(shell)), [...args], { input, cwd: folder, encoding: 'utf8', env });
}
