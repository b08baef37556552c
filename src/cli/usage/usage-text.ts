import { usagesOf, type CommandUsage } from './command-usages.ts';

/** Formats how a command is written, such as `configurations put [--seal] FILE...`. */
export function synopsis(name: string, { operands, options }: CommandUsage): string {
  const words = Object.entries(options).map(([option, usage]) => {
    const text = optionText(option, usage);
    return usage.isRequired === true ? text : `[${text}]`;
  });
  return [name, ...words, ...(operands === 'none' ? [] : [operands])].join(' ');
}

/** Formats the help of a command, of all verbs of one, or of the whole program for an empty name. */
export function helpText(name: string): string {
  const [first, ...others] = usagesOf(name);
  const text = first !== undefined && others.length === 0 ? helpOf(...first) : overview(name);
  return `${text}\n\nSettings are environment variables: see docs/configuration.md.`;
}

function helpOf(name: string, usage: CommandUsage): string {
  const options = Object.entries(usage.options).map(([option, one]) => [optionText(option, one), one.does] as const);
  const rows = options.length === 0 ? [] : ['', ...table(options)];
  const notes = usage.notes === undefined ? [] : ['', ...usage.notes];
  return [`Usage: certificate-webhooks ${synopsis(name, usage)}`, '', sentence(usage.does), ...rows, ...notes].join(
    '\n',
  );
}

function overview(name: string): string {
  const rows = usagesOf(name).map(([one, { does }]) => [one, does] as const);
  const words = name === '' ? '[COMMAND]' : `${name} VERB`;
  return [`Usage: certificate-webhooks ${words}`, '', ...table(rows), '', 'Each has --help.'].join('\n');
}

function optionText(option: string, { value }: CommandUsage['options'][string]): string {
  return value === undefined ? `--${option}` : `--${option} ${value}`;
}

function table(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, does]) => `  ${name.padEnd(width)}  ${does}`);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
