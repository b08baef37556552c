import { parseArgs } from 'node:util';
import { commandUsages, usagesOf, type CommandName, type CommandUsage } from './command-usages.ts';

export interface ParsedArguments {
  /** Returns true if this option without a value is there. */
  readonly has: (option: string) => boolean;
  /** Returns the value of an option. Throws a `TypeError` if it is empty. */
  readonly value: (option: string) => string | undefined;
  readonly operands: readonly string[];
}

/** Parses what a command is given. Throws a `TypeError` that says which argument is wrong. */
export function parseArguments(name: CommandName, args: readonly string[]): ParsedArguments {
  const { operands, options }: CommandUsage = commandUsages[name];
  const types = Object.entries(options).map(
    ([option, { value }]) => [option, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  const { values, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    allowPositionals: operands !== 'none',
  });
  if (operands === 'FILE...' || operands === 'ID...') assertSome(operands, positionals);
  if (operands === '[ID]') assertAtMostOne('ID', positionals);
  if (operands === 'ID|FILE') assertOne('ID or FILE', positionals);
  return {
    has: (option) => values[option] === true,
    value: (option) => {
      const value = values[option];
      if (value === '') throw new TypeError(`--${option} is empty`);
      return typeof value === 'string' ? value : undefined;
    },
    operands: positionals,
  };
}

/** Returns the verb that a command begins with. Throws a `TypeError` that names all verbs if it is none of them. */
export function parseVerb<Name extends string>(command: Name, verb: string): Extract<CommandName, `${Name} ${string}`> {
  const names = usagesOf(command).map(([name]) => name);
  const found = names.find((name): name is Extract<CommandName, `${Name} ${string}`> => name === `${command} ${verb}`);
  if (found !== undefined) return found;
  const verbs = names.map((name) => name.slice(command.length + 1));
  const expected = `${verbs.slice(0, -1).join(', ')} or ${verbs.at(-1)}`;
  throw new TypeError(`${command} takes ${expected}, got: ${verb || 'nothing'}`);
}

function assertSome(operands: string, given: readonly string[]): void {
  if (given.length === 0) throw new TypeError(`at least one ${operands.replace('...', '')} has to be named`);
}

function assertOne(operand: string, given: readonly string[]): void {
  if (given.length === 0) throw new TypeError(`one ${operand} has to be named`);
  assertAtMostOne(operand, given);
}

function assertAtMostOne(operand: string, given: readonly string[]): void {
  if (given.length > 1) throw new TypeError(`only one ${operand} can be named`);
  if (given[0] === '') throw new TypeError(`the ${operand} is empty`);
}
