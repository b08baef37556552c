import { parseArgs } from 'node:util';
import type { DeadReason } from '../../deliveries/settlement.ts';
import { deadReasons } from '../../kafka/records/dead-letter-reading.ts';
import { parseTimeArgument, type TimeArgument } from '../terminal/time-argument.ts';

/** What `dead-letters` is asked to do. */
export type DeadLettersCommand =
  | { readonly verb: 'list'; readonly filter: DeadLetterFilter; readonly json: boolean }
  | {
      readonly verb: 'replay';
      readonly filter: DeadLetterFilter;
      /** Those that were replayed before, too. */
      readonly again: boolean;
      readonly dryRun: boolean;
    };

/** Which dead letters are meant; what is undefined is no condition. */
export interface DeadLetterFilter {
  readonly webhookId: string | undefined;
  readonly ownerId: string | undefined;
  readonly certificateId: string | undefined;
  readonly reason: DeadReason | undefined;
  /** Of the time of failure: from the first on, before the second. */
  readonly since: TimeArgument | undefined;
  readonly until: TimeArgument | undefined;
  /** The newest. */
  readonly limit: number | undefined;
}

/** The first word is the verb, the rest are its own arguments. Throws what tells a person what is wrong with them. */
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
  const moment = (name: string): TimeArgument | undefined => {
    const given = text(name);
    return given === undefined ? undefined : parseTimeArgument(name, given);
  };
  return {
    webhookId: text('configuration'),
    ownerId: text('owner'),
    certificateId: text('certificate'),
    reason: parseReason(text('reason')),
    since: moment('since'),
    until: moment('until'),
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
