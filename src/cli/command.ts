import { eventTypes } from '../certificates/certificate.ts';
import type { SourceRecord } from '../certificates/record.ts';
import { attemptOutcomes, deferOutcomes } from '../deliveries/outcome.ts';
import { deadReasons } from '../deliveries/settle.ts';
import { oneLine } from '../lib/printable.ts';
import { parseDuration } from '../lib/units.ts';
import { expectedTime, parseTimeArgument } from './terminal/time-argument.ts';
import { commandUsages, firstWords, shells, usagesOf, type CommandName, type Shell } from './command-usages.ts';
import { nearestTo } from '../lib/nearest.ts';
import { parseArgs } from 'node:util';

export type Command =
  | { readonly kind: 'serve' }
  | { readonly kind: 'check-config'; readonly files: readonly string[] }
  | { readonly kind: 'topics'; readonly create: boolean }
  | { readonly kind: 'configurations'; readonly command: ConfigurationsCommand }
  | { readonly kind: 'dead-letters'; readonly command: DeadLettersCommand }
  | { readonly kind: 'endpoints'; readonly command: EndpointsCommand }
  | { readonly kind: 'explain'; readonly command: ExplainCommand }
  | { readonly kind: 'redeliver'; readonly command: RedeliverCommand }
  | { readonly kind: 'retries'; readonly command: ListRetriesCommand }
  | { readonly kind: 'try'; readonly command: TryCommand }
  | { readonly kind: 'completion'; readonly shell: Shell }
  /** The name of a command, perhaps with a verb. Empty for the whole program. */
  | { readonly kind: 'help'; readonly name: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'invalid'; readonly problem: string; readonly name: string };

// The table of usages says what each field means.
export type ConfigurationsCommand = ReturnType<typeof parseConfigurations>;
export type CommandOf<Verb extends string> = Extract<ConfigurationsCommand, { readonly verb: Verb }>;
export type DeadLettersCommand = ReturnType<typeof parseDeadLetters>;
export type ListDeadLettersCommand = Extract<DeadLettersCommand, { readonly verb: 'list' }>;
export type ReplayCommand = Extract<DeadLettersCommand, { readonly verb: 'replay' }>;
export type DeadLetterFilter = DeadLettersCommand['filter'];
export type EndpointsCommand = ReturnType<typeof parseEndpoints>;
export type ExplainCommand = ReturnType<typeof parseExplain>;
export type ListRetriesCommand = ReturnType<typeof parseRetries>;
export type RedeliverCommand = ReturnType<typeof parseRedeliver>;
export type RecordPosition = Pick<SourceRecord, 'topic' | 'partition' | 'offset'>;
export type TryCommand = ReturnType<typeof parseTry>;
export type TryTarget = TryCommand['target'];

/** Parses the arguments of the process. The first one names the command; the others belong to it. */
export function parseCommand(argv: readonly string[]): Command {
  const [name = 'serve', ...args] = argv;
  if (name === 'help' || isHelp(name)) return { kind: 'help', name: '' };
  if (name === 'version' || name === '--version') return { kind: 'version' };
  if (usagesOf(name).length === 0)
    return { kind: 'invalid', problem: `there is no command ${name}${suggestion(name, firstWords)}`, name: '' };
  const named = nameOf(name, args);
  if (asksForHelp(args)) return { kind: 'help', name: named };
  try {
    return parseNamed(name, args);
  } catch (error) {
    return { kind: 'invalid', problem: error instanceof Error ? error.message : String(error), name: named };
  }
}

function nameOf(name: string, [verb = '']: readonly string[]): string {
  return usagesOf(`${name} ${verb}`).length === 1 ? `${name} ${verb}` : name;
}

/** Returns true if one of the options is `--help`. What follows `--` is no option. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).some(isHelp);
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

/** Throws a `TypeError` that says which argument is wrong. */
function parseNamed(name: string, args: readonly string[]): Command {
  switch (name) {
    case 'completion':
      return { kind: 'completion', shell: parseShell(parseArguments('completion', args)) };
    case 'check-config':
      return { kind: 'check-config', files: parseArguments('check-config', args).operands };
    case 'topics':
      return { kind: 'topics', create: parseArguments('topics', args).has('create') };
    case 'configurations':
      return { kind: 'configurations', command: parseConfigurations(args) };
    case 'dead-letters':
      return { kind: 'dead-letters', command: parseDeadLetters(args) };
    case 'endpoints':
      return { kind: 'endpoints', command: parseEndpoints(args) };
    case 'explain':
      return { kind: 'explain', command: parseExplain(parseArguments('explain', args)) };
    case 'retries':
      return { kind: 'retries', command: parseRetries(args) };
    case 'redeliver':
      return { kind: 'redeliver', command: parseRedeliver(parseArguments('redeliver', args)) };
    case 'try':
      return { kind: 'try', command: parseTry(parseArguments('try', args)) };
    default:
      parseArguments('serve', args);
      return { kind: 'serve' };
  }
}

function parseConfigurations([verb = '', ...args]: readonly string[]) {
  const name = parseVerb('configurations', verb);
  const { has, value, parsed, operands } = parseArguments(name, args);
  const ids: readonly string[] = [...new Set(operands)];
  const as = parsed('as', 'one line of at most 256 characters', (text) => (oneLine(text) === text ? text : undefined));
  const writer = as === undefined ? {} : { as };
  switch (name) {
    case 'configurations list':
      return { verb: 'list', ids, owner: value('owner'), history: has('history'), json: has('json') } as const;
    case 'configurations put':
      if (has('seal') && has('refused')) throw new TypeError('--seal needs valid configurations, so not --refused');
      return { verb: 'put', files: operands, seal: has('seal'), refused: has('refused'), ...writer } as const;
    case 'configurations remove':
      return { verb: 'remove', ids, purge: has('purge'), dryRun: has('dry-run'), ...writer } as const;
    case 'configurations pause':
      return { verb: 'pause', ids, ...writer } as const;
    case 'configurations resume':
      return { verb: 'resume', ids, ...writer } as const;
    case 'configurations export':
      return { verb: 'export' } as const;
    case 'configurations accept':
      return { verb: 'accept', ...writer } as const;
    case 'configurations check':
      return { verb: 'check', files: operands } as const;
    case 'configurations seal':
      return { verb: 'seal', files: operands, write: has('write'), renew: has('renew') } as const;
  }
}

function parseDeadLetters([verb = '', ...args]: readonly string[]) {
  const name = parseVerb('dead-letters', verb);
  const parsedArguments = parseArguments(name, args);
  const { has } = parsedArguments;
  const filter = parseFilter(parsedArguments, deadReasons);
  return name === 'dead-letters list'
    ? ({ verb: 'list', filter, json: has('json') } as const)
    : ({ verb: 'replay', filter, again: has('again'), dryRun: has('dry-run') } as const);
}

function parseRetries([verb = '', ...args]: readonly string[]) {
  const parsedArguments = parseArguments(parseVerb('retries', verb), args);
  const { has, parsed } = parsedArguments;
  const filter = parseFilter(parsedArguments, [...attemptOutcomes, ...deferOutcomes]);
  return { filter, tierMs: parsed('tier', 'a delay such as 10m', parseDuration), json: has('json') } as const;
}

function parseFilter<Reason extends string>({ value, parsed }: ParsedArguments, reasons: readonly Reason[]) {
  return {
    webhookId: value('configuration'),
    ownerId: value('owner'),
    certificateId: value('certificate'),
    reason: parsed('reason', `one of ${reasons.join(', ')}`, (text) => reasons.find((one) => one === text)),
    since: parsed('since', expectedTime, parseTimeArgument),
    until: parsed('until', expectedTime, parseTimeArgument),
    limit: parsed('limit', 'a whole number from 1 to 999999999', (text) =>
      /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined,
    ),
  } as const;
}

function parseExplain({ has, value, parsed }: ParsedArguments) {
  const certificateId = value('certificate');
  if (certificateId === undefined) throw new TypeError('explain needs --certificate ID: which one to explain');
  const since = parsed('since', expectedTime, parseTimeArgument);
  return { certificateId, ownerId: value('owner'), since, json: has('json') } as const;
}

function parseEndpoints(args: readonly string[]) {
  const { operands, has } = parseArguments('endpoints', args);
  return { configurationId: operands[0], json: has('json') } as const;
}

function parseRedeliver({ has, value, parsed }: ParsedArguments) {
  const [webhookId] = ['configuration', 'since', 'until', 'from'].map(value);
  if (webhookId === undefined) throw new TypeError('redeliver needs --configuration ID: whom to deliver to');
  const since = parsed('since', expectedTime, parseTimeArgument);
  if (since === undefined) throw new TypeError('redeliver needs --since TIME: from when on');
  const until = parsed('until', expectedTime, parseTimeArgument);
  const from = parsed('from', 'TOPIC/PARTITION/OFFSET, as an earlier run printed it', parsePosition);
  return { webhookId, since, until, from, dryRun: has('dry-run') } as const;
}

export function positionText({ topic, partition, offset }: RecordPosition): string {
  return `${topic}/${partition}/${offset}`;
}

function parsePosition(text: string): RecordPosition | undefined {
  const [, topic, partition, offset] = /^([\w.-]+)\/(\d{1,9})\/(\d{1,15})$/.exec(text) ?? [];
  return topic === undefined ? undefined : { topic, partition: Number(partition), offset: Number(offset) };
}

function parseTry({ operands: [operand = ''], has, parsed }: ParsedArguments) {
  // A path has a slash or the ending of a configuration file, or is `-`. No id that a platform makes looks like one.
  const isPath = operand === '-' || operand.includes('/') || /\.(?:jsonl?|ya?ml)$/i.test(operand);
  return {
    target: isPath ? ({ kind: 'file', path: operand } as const) : ({ kind: 'id', id: operand } as const),
    eventType: parsed('event', eventTypes.join(' or '), (text) => eventTypes.find((one) => one === text)),
    conformance: has('conformance'),
  };
}

function parseShell({ operands: [operand = ''] }: ParsedArguments): Shell {
  const shell = shells.find((one) => one === operand);
  if (shell === undefined) throw new TypeError(`there is no completion for ${operand}${suggestion(operand, shells)}`);
  return shell;
}

interface ParsedArguments {
  /** Returns true if this option without a value is there. */
  readonly has: (option: string) => boolean;
  /** Returns the value of an option. Throws a `TypeError` if it is empty. */
  readonly value: (option: string) => string | undefined;
  /** Returns what `parse` makes of a value. Throws a `TypeError` that says what is expected if that is undefined. */
  readonly parsed: <T>(option: string, expected: string, parse: (text: string) => T | undefined) => T | undefined;
  readonly operands: readonly string[];
}

/** Parses what a command is given. Throws a `TypeError` that says which argument is wrong. */
function parseArguments(name: CommandName, args: readonly string[]): ParsedArguments {
  const { operands, options } = commandUsages[name];
  const types = Object.entries(options).map(
    ([option, { value }]) => [option, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  const parseKnown = (): ReturnType<typeof parseArgs> =>
    parseArgs({ args: [...args], options: Object.fromEntries(types), allowPositionals: operands !== 'none' });
  const { values, positionals } = withSuggestion(parseKnown, Object.keys(options));
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
function parseVerb<Name extends string>(command: Name, verb: string): Extract<CommandName, `${Name} ${string}`> {
  const names = usagesOf(command).map(([name]) => name);
  const found = names.find((name): name is Extract<CommandName, `${Name} ${string}`> => name === `${command} ${verb}`);
  if (found !== undefined) return found;
  const verbs = names.map((name) => name.slice(command.length + 1));
  const expected = verbs.length === 1 ? verbs.join() : `${verbs.slice(0, -1).join(', ')} or ${verbs.at(-1)}`;
  throw new TypeError(`${command} takes ${expected}, got: ${verb || 'nothing'}${suggestion(verb, verbs)}`);
}

/** Replaces the message about an unknown option, which Node words for programs that take anything. */
function withSuggestion<T>(parse: () => T, options: readonly string[]): T {
  try {
    return parse();
  } catch (error) {
    const [, dashes = '', name = ''] =
      /^Unknown option '(--?)([^']+)'/.exec(String(Reflect.get(Object(error), 'message'))) ?? [];
    if (dashes === '') throw error;
    const texts = options.map((option) => `--${option}`);
    throw new TypeError(`there is no option ${dashes}${name}${suggestion(`--${name}`, texts)}`, { cause: error });
  }
}

/** Returns the end of a message about an unknown word. Empty if none of the known ones is near. */
function suggestion(word: string, known: readonly string[]): string {
  const nearest = nearestTo(word, known, 3);
  return nearest === undefined || word === '' ? '' : `; did you mean ${nearest}?`;
}

function assertOperands(operands: string, given: readonly string[]): void {
  const name = operands.replace('...', '').replace(/[[\]]/g, '').replaceAll('|', ' or ');
  if (operands.endsWith('...') && given.length === 0) throw new TypeError(`at least one ${name} has to be named`);
  if (operands.includes('...') || operands === 'none') return;
  if (operands.includes('|') && given.length === 0) throw new TypeError(`one ${name} has to be named`);
  if (given.length > 1) throw new TypeError(`only one ${name} can be named`);
  if (given[0] === '') throw new TypeError(`the ${name} is empty`);
}
