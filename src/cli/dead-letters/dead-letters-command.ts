import { parseArgs } from 'node:util';
import type { DeadReason } from '../../deliveries/settlement.ts';
import { deadReasons } from '../../kafka/records/dead-letter-reading.ts';
import { parseTimeArgument, type TimeArgument } from '../terminal/time-argument.ts';

/** The parsed arguments of `dead-letters`. */
export type DeadLettersCommand =
  | { readonly verb: 'list'; readonly filter: DeadLetterFilter; readonly json: boolean }
  | {
      readonly verb: 'replay';
      readonly filter: DeadLetterFilter;
      /** Replays dead letters that were replayed before, too. */
      readonly again: boolean;
      readonly dryRun: boolean;
    };

/** Selects dead letters. An undefined field is no condition. */
export interface DeadLetterFilter {
  readonly webhookId: string | undefined;
  readonly ownerId: string | undefined;
  readonly certificateId: string | undefined;
  readonly reason: DeadReason | undefined;
  /** The earliest time of failure. */
  readonly since: TimeArgument | undefined;
  /** The time that every failure has to be before. */
  readonly until: TimeArgument | undefined;
  /** Number of dead letters to select. The newest are selected. */
  readonly limit: number | undefined;
}

/** Parses the arguments. The first one is the verb. Throws a `TypeError` that says which argument is wrong. */
export function parseDeadLettersCommand([verb = '', ...args]: readonly string[]): DeadLettersCommand {
  switch (verb) {
    case 'list': {
      const values = parse(args, { json: { type: 'boolean' } });
      return { verb, filter: parseFilter(values), json: values['json'] === true };
    }
    case 'replay': {
      const values = parse(args, { again: { type: 'boolean' }, 'dry-run': { type: 'boolean' } });
      const [again, dryRun] = [values['again'] === true, values['dry-run'] === true];
      return { verb, filter: parseFilter(values), again, dryRun };
    }
    default:
      throw new TypeError(`dead-letters takes list or replay, got: ${verb || 'nothing'}`);
  }
}

type Options = Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>;
type Values = Readonly<Record<string, unknown>>;

const filterOptions: Options = {
  configuration: { type: 'string' },
  owner: { type: 'string' },
  certificate: { type: 'string' },
  reason: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
};

function parse(args: readonly string[], options: Options): Values {
  return parseArgs({ args: [...args], options: { ...filterOptions, ...options } }).values;
}

function parseFilter(values: Values): DeadLetterFilter {
  const text = (name: string): string | undefined => {
    const value = values[name];
    if (value === '') throw new TypeError(`--${name} is empty`);
    return typeof value === 'string' ? value : undefined;
  };
  const timeArgument = (name: string): TimeArgument | undefined => {
    const value = text(name);
    return value === undefined ? undefined : parseTimeArgument(name, value);
  };
  return {
    webhookId: text('configuration'),
    ownerId: text('owner'),
    certificateId: text('certificate'),
    reason: parseReason(text('reason')),
    since: timeArgument('since'),
    until: timeArgument('until'),
    limit: parseLimit(text('limit')),
  };
}

function parseReason(text: string | undefined): DeadReason | undefined {
  const reason = deadReasons.find((one) => one === text);
  if (text !== undefined && reason === undefined)
    throw new TypeError(`--reason is ${JSON.stringify(text)}: expected one of ${deadReasons.join(', ')}`);
  return reason;
}

function parseLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new TypeError(`--limit is ${JSON.stringify(text)}: expected a whole number from 1 to 999999999`);
  return Number(text);
}
