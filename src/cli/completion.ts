import { commandUsages, firstWords, shells, usagesOf, type CommandUsage, type Shell } from './command-usages.ts';

const program = 'certificate-webhooks';

/** Returns the text that makes a shell complete the commands, verbs and options of the table of usages. */
export function completionScript(shell: Shell): string {
  switch (shell) {
    case 'bash':
      return `${functionOf('"${COMP_WORDS[*]:1:COMP_CWORD-1}"', 'COMPREPLY=($(compgen -W "$found" -- "${COMP_WORDS[COMP_CWORD]}"))')}
complete -o default -F _certificate_webhooks ${program}
`;
    case 'zsh':
      return `${functionOf('"${(j: :)words[2,CURRENT-1]}"', 'compadd -- ${=found} || _files')}
compdef _certificate_webhooks ${program}
`;
    case 'fish':
      return steps.flatMap((step) => step.words.map((word) => `${fishLine(step, word)}\n`)).join('');
  }
}

/** The words that can follow others. */
interface Step {
  /** The words between the program and the one that is completed. */
  readonly before: string;
  /** True if other words may stand between them. */
  readonly isStart: boolean;
  readonly words: readonly Word[];
}

interface Word {
  readonly text: string;
  readonly does: string;
  readonly hasValue?: boolean;
}

const steps: readonly Step[] = [
  {
    before: '',
    isStart: false,
    words: firstWords.map((text) => {
      const [[name, { does }] = [text, { does: '' }], ...others] = usagesOf(text);
      return { text, does: name === text ? does : [name, ...others.map(([verb]) => verb)].join(', ') };
    }),
  },
  ...firstWords.flatMap((before) => {
    const verbs = usagesOf(before).filter(([name]) => name !== before);
    const words = verbs.map(([name, { does }]) => ({ text: name.slice(before.length + 1), does }));
    return verbs.length === 0 ? [] : [{ before, isStart: false, words }];
  }),
  ...Object.entries<CommandUsage>(commandUsages).map(([before, { options, operands }]) => ({
    before,
    isStart: true,
    words: [
      ...shells.filter((shell) => operands.includes(shell)).map((text) => ({ text, does: 'the shell' })),
      ...Object.entries(options).map(([option, { does, value }]) => ({
        text: `--${option}`,
        does,
        hasValue: value !== undefined,
      })),
      { text: '--help', does: 'prints what it takes' },
    ],
  })),
];

/** Returns the function of Bash and zsh. `before` expands to the words between the program and the one that is completed. */
function functionOf(before: string, complete: string): string {
  const cases = steps.map(
    (step) =>
      `    '${step.before}'${step.isStart ? '*' : ''}) found='${step.words.map(({ text }) => text).join(' ')}' ;;\n`,
  );
  return `_certificate_webhooks() {\n  local found=\n  case ${before} in\n${cases.join('')}  esac\n  ${complete}\n}`;
}

function fishLine({ before, isStart }: Step, { text, does, hasValue = false }: Word): string {
  const pattern = `${program} ${before}`.trim() + (isStart ? '*' : '');
  const word = text.startsWith('--') ? `-l ${text.slice(2)}${hasValue ? ' -r' : ''}` : `-f -a ${text}`;
  const test = `string match -q -- "${pattern}" (commandline -opc | string join " ")`;
  return `complete -c ${program} -n '${test}' ${word} -d '${does.replaceAll(/['\\]/g, '\\$&')}'`;
}
