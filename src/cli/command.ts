import { parseArgs } from 'node:util';
import { parseConfigurationsCommand, type ConfigurationsCommand } from './configurations/configurations-command.ts';
import { parseDeadLettersCommand, type DeadLettersCommand } from './dead-letters/dead-letters-command.ts';
import { parseRedeliverCommand, type RedeliverCommand } from './redeliver/redeliver-command.ts';

/** A parsed command line. */
export type Command =
  | { readonly kind: 'serve' }
  | { readonly kind: 'check-config'; readonly files: readonly string[] }
  | { readonly kind: 'topics'; readonly create: boolean }
  | { readonly kind: 'configurations'; readonly command: ConfigurationsCommand }
  | { readonly kind: 'dead-letters'; readonly command: DeadLettersCommand }
  | { readonly kind: 'redeliver'; readonly command: RedeliverCommand }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'invalid'; readonly problem: string };

export const usage = `Usage: certificate-webhooks [COMMAND]

  serve                     runs the service until SIGTERM or SIGINT (the default)
  check-config [FILE...]    checks the environment, and webhook configuration files
  topics [--create]         compares the cluster's topics with what is needed; --create makes the missing ones
  configurations VERB       the webhook configurations' topic, and files for it:
    list [--owner ID] [--json]         what it holds, without credentials
    put [--seal] FILE...               writes all of them, or none when one has a problem
    remove ID...                       removes all of them, or none when one is not there
    accept                             confirms what it holds, after it was deleted and created again
    check FILE...                      validates files; touches no Kafka
    seal [--write] [--renew] FILE...   seals the credentials in files; touches no Kafka
  dead-letters VERB         what could not be delivered:
    list [FILTER...] [--json]                    the newest last
    replay [FILTER...] [--again] [--dry-run]     puts it into the first retry topic, but for what was replayed before
    filters: --configuration ID, --owner ID, --certificate ID, --reason R, --limit N (the newest), and of the time of
    failure --since T, --until T (ISO 8601, or a duration ago)
  redeliver --configuration ID --since T [--until T] [--from PLACE] [--dry-run]
                            puts certificates of that time into the first retry topic for one subscriber

Settings are environment variables: see docs/configuration.md.`;

/** Parses the arguments of the process. The first one names the command; the others belong to it. */
export function parseCommand(argv: readonly string[]): Command {
  const [name = 'serve', ...args] = argv;
  switch (name) {
    case 'serve':
      return args.length === 0 ? { kind: 'serve' } : invalid(`serve takes no arguments, got: ${args.join(' ')}`);
    case 'check-config':
      return withArguments(args, {}, ({ positionals }) => ({ kind: 'check-config', files: positionals }));
    case 'topics':
      return withArguments(args, { create: { type: 'boolean' } }, ({ values, positionals }) =>
        positionals.length === 0
          ? { kind: 'topics', create: values['create'] === true }
          : invalid(`topics takes no names, got: ${positionals.join(' ')}`),
      );
    case 'configurations':
      return attempt(() => ({ kind: 'configurations', command: parseConfigurationsCommand(args) }));
    case 'dead-letters':
      return attempt(() => ({ kind: 'dead-letters', command: parseDeadLettersCommand(args) }));
    case 'redeliver':
      return attempt(() => ({ kind: 'redeliver', command: parseRedeliverCommand(args) }));
    case 'help':
    case '--help':
    case '-h':
      return { kind: 'help' };
    case 'version':
    case '--version':
      return { kind: 'version' };
    default:
      return invalid(`there is no command ${name}`);
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
  return attempt(() => toCommand(parseArgs({ args: [...args], options, allowPositionals: true })));
}

function attempt(parse: () => Command): Command {
  try {
    return parse();
  } catch (error) {
    return invalid(error instanceof Error ? error.message : 'the arguments can not be read');
  }
}

function invalid(problem: string): Command {
  return { kind: 'invalid', problem };
}
