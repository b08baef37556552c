import { parseArgs } from 'node:util';
import { commandUsages, usagesOf, type CommandName } from './command-usages.ts';

export interface ParsedArguments {
  /** Returns true if this option without a value is there. */
  readonly has: (option: string) => boolean;
  /** Returns the value of an option. Throws a `TypeError` if it is empty. */
  readonly value: (option: string) => string | undefined;
  /** Returns what `parse` makes of a value. Throws a `TypeError` that says what is expected if that is undefined. */
  readonly parsed: <T>(option: string, expected: string, parse: (text: string) => T | undefined) => T | undefined;
  readonly operands: readonly string[];
}

/** Parses what a command is given. Throws a `TypeError` that says which argument is wrong. */
export function parseArguments(name: CommandName, args: readonly string[]): ParsedArguments {
  const { operands, options } = commandUsages[name];
  const types = Object.entries(options).map(
    ([option, { value }]) => [option, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  const { values, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    allowPositionals: operands !== 'none',
  });
  assertOperands(operands, positionals);
  const value = (option: string): string | undefined => {
    const text = values[option];
    if (text === '') throw new TypeError(`--${option} is empty`);
    return typeof text === 'string' ? text : undefined;
  };
  return {
    has: (option) => values[option] === true,
    value,
    parsed: (option, expected, parse) => {
      const text = value(option);
      const parsed = text === undefined ? undefined : parse(text);
      if (text !== undefined && parsed === undefined)
        throw new TypeError(`--${option} is ${JSON.stringify(text)}: expected ${expected}`);
      return parsed;
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

function assertOperands(operands: string, given: readonly string[]): void {
  const name = operands.replace('...', '').replace(/[[\]]/g, '').replace('|', ' or ');
  if (operands.endsWith('...') && given.length === 0) throw new TypeError(`at least one ${name} has to be named`);
  if (operands.includes('...') || operands === 'none') return;
  if (operands === 'ID|FILE' && given.length === 0) throw new TypeError(`one ${name} has to be named`);
  if (given.length > 1) throw new TypeError(`only one ${name} can be named`);
  if (given[0] === '') throw new TypeError(`the ${name} is empty`);
}
