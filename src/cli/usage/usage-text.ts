import { usagesOf, type CommandUsage } from './command-usages.ts';

/** Formats the help of a command, of all verbs of one, or of the whole program for an empty name. */
export function helpText(name: string): string {
  const [first, ...others] = usagesOf(name);
  const lines = first !== undefined && others.length === 0 ? helpOf(...first) : overview(name);
  return [...lines, '', 'Settings are environment variables: see docs/configuration.md.'].join('\n');
}

function helpOf(name: string, { does, operands, options, notes = [] }: CommandUsage): readonly string[] {
  const texts = Object.entries(options).map(([option, { value, isRequired, does: effect }]) => {
    const text = value === undefined ? `--${option}` : `--${option} ${value}`;
    return { text, word: isRequired === true ? text : `[${text}]`, effect };
  });
  const words = [name, ...texts.map(({ word }) => word), ...(operands === 'none' ? [] : [operands])];
  const rows = table(texts.map(({ text, effect }) => [text, effect]));
  return [
    `Usage: certificate-webhooks ${words.join(' ')}`,
    '',
    `${does.charAt(0).toUpperCase()}${does.slice(1)}.`,
    ...(rows.length === 0 ? [] : ['', ...rows]),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ];
}

function overview(name: string): readonly string[] {
  const words = name === '' ? '[COMMAND]' : `${name} VERB`;
  const rows = table(usagesOf(name).map(([one, { does }]) => [one, does]));
  return [`Usage: certificate-webhooks ${words}`, '', ...rows, '', 'Each has --help.'];
}

function table(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, does]) => `  ${name.padEnd(width)}  ${does}`);
}
