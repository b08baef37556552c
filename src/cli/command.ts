import { parseArgs } from 'node:util';

/** What the command line asks for. */
export type Command =
  | { readonly kind: 'serve' }
  | { readonly kind: 'check-config'; readonly files: readonly string[] }
  | { readonly kind: 'topics'; readonly create: boolean }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'mistaken'; readonly problem: string };

export const usage = `Usage: certificate-webhooks [COMMAND]

  serve                     runs the service until SIGTERM or SIGINT (the default)
  check-config [FILE...]    checks the environment, and webhook configuration files
  topics [--create]         compares the cluster's topics with what is needed; --create makes the missing ones

Settings are environment variables: see docs/configuration.md.`;

/** The first word is the command, the rest are its own arguments. */
export function parseCommand(words: readonly string[]): Command {
  const [name = 'serve', ...rest] = words;
  switch (name) {
    case 'serve':
      return rest.length === 0 ? { kind: 'serve' } : mistaken(`serve takes no arguments, given: ${rest.join(' ')}`);
    case 'check-config':
      return withArguments(rest, {}, ({ positionals }) => ({ kind: 'check-config', files: positionals }));
    case 'topics':
      return withArguments(rest, { create: { type: 'boolean' } }, ({ values, positionals }) =>
        positionals.length === 0
          ? { kind: 'topics', create: values['create'] === true }
          : mistaken(`topics takes no names, given: ${positionals.join(' ')}`),
      );
    case 'help':
    case '--help':
    case '-h':
      return { kind: 'help' };
    case 'version':
    case '--version':
      return { kind: 'version' };
    default:
      return mistaken(`there is no command ${name}`);
  }
}

type Parsed = {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
};

function withArguments(
  args: readonly string[],
  options: Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>,
  toCommand: (parsed: Parsed) => Command,
): Command {
  try {
    return toCommand(parseArgs({ args: [...args], options, allowPositionals: true }));
  } catch (error) {
    return mistaken(error instanceof Error ? error.message : 'the arguments can not be read');
  }
}

function mistaken(problem: string): Command {
  return { kind: 'mistaken', problem };
}
