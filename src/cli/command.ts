import { parseConfigurationsCommand, type ConfigurationsCommand } from './configurations/configurations-command.ts';
import { parseDeadLettersCommand, type DeadLettersCommand } from './dead-letters/dead-letters-command.ts';
import type { EndpointsCommand } from './endpoints/run-endpoints.ts';
import { parseRedeliverCommand, type RedeliverCommand } from './redeliver/redeliver-command.ts';
import { parseTryCommand, type TryCommand } from './try/try-command.ts';
import { usagesOf } from './usage/command-usages.ts';
import { parseArguments } from './usage/parse-arguments.ts';

export type Command =
  | { readonly kind: 'serve' }
  | { readonly kind: 'check-config'; readonly files: readonly string[] }
  | { readonly kind: 'topics'; readonly create: boolean }
  | { readonly kind: 'configurations'; readonly command: ConfigurationsCommand }
  | { readonly kind: 'dead-letters'; readonly command: DeadLettersCommand }
  | { readonly kind: 'endpoints'; readonly command: EndpointsCommand }
  | { readonly kind: 'redeliver'; readonly command: RedeliverCommand }
  | { readonly kind: 'try'; readonly command: TryCommand }
  /** The name of a command, perhaps with a verb. Empty for the whole program. */
  | { readonly kind: 'help'; readonly name: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'invalid'; readonly problem: string; readonly name: string };

/** Parses the arguments of the process. The first one names the command; the others belong to it. */
export function parseCommand(argv: readonly string[]): Command {
  const [name = 'serve', ...args] = argv;
  if (name === 'help' || isHelp(name)) return { kind: 'help', name: '' };
  if (name === 'version' || name === '--version') return { kind: 'version' };
  if (usagesOf(name).length === 0) return { kind: 'invalid', problem: `there is no command ${name}`, name: '' };
  const named = nameOf(name, args);
  if (asksForHelp(args)) return { kind: 'help', name: named };
  try {
    return parseNamed(name, args);
  } catch (error) {
    return { kind: 'invalid', problem: error instanceof Error ? error.message : String(error), name: named };
  }
}

/** Returns true if one of the options is `--help`. What follows `--` is no option. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).some(isHelp);
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

/** Returns the name of the command, with its verb if it is one. */
function nameOf(name: string, [verb = '']: readonly string[]): string {
  return usagesOf(`${name} ${verb}`).length === 1 ? `${name} ${verb}` : name;
}

function parseNamed(name: string, args: readonly string[]): Command {
  switch (name) {
    case 'check-config':
      return { kind: 'check-config', files: parseArguments('check-config', args).operands };
    case 'topics':
      return { kind: 'topics', create: parseArguments('topics', args).has('create') };
    case 'configurations':
      return { kind: 'configurations', command: parseConfigurationsCommand(args) };
    case 'dead-letters':
      return { kind: 'dead-letters', command: parseDeadLettersCommand(args) };
    case 'endpoints': {
      const { operands, has } = parseArguments('endpoints', args);
      return { kind: 'endpoints', command: { configurationId: operands[0], json: has('json') } };
    }
    case 'redeliver':
      return { kind: 'redeliver', command: parseRedeliverCommand(args) };
    case 'try':
      return { kind: 'try', command: parseTryCommand(args) };
    default:
      parseArguments('serve', args);
      return { kind: 'serve' };
  }
}
