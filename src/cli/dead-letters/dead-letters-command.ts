import type { DeadReason } from '../../deliveries/settlement.ts';
import { deadReasons } from '../../deliveries/settlement.ts';
import { parseTimeArgument, type TimeArgument } from '../terminal/time-argument.ts';
import { parseArguments, parseVerb, type ParsedArguments } from '../usage/parse-arguments.ts';

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
  readonly since: TimeArgument | undefined;
  /** The time that every failure has to be before. */
  readonly until: TimeArgument | undefined;
  /** Number of dead letters to select. The newest are selected. */
  readonly limit: number | undefined;
}

/** Parses the arguments. The first one is the verb. Throws a `TypeError` that says which argument is wrong. */
export function parseDeadLettersCommand([verb = '', ...args]: readonly string[]): DeadLettersCommand {
  const name = parseVerb('dead-letters', verb);
  const parsed = parseArguments(name, args);
  const filter = parseFilter(parsed);
  switch (name) {
    case 'dead-letters list':
      return { verb: 'list', filter, json: parsed.has('json') };
    case 'dead-letters replay':
      return { verb: 'replay', filter, again: parsed.has('again'), dryRun: parsed.has('dry-run') };
  }
}

function parseFilter({ value }: ParsedArguments): DeadLetterFilter {
  const timeArgument = (name: string): TimeArgument | undefined => {
    const text = value(name);
    return text === undefined ? undefined : parseTimeArgument(name, text);
  };
  return {
    webhookId: value('configuration'),
    ownerId: value('owner'),
    certificateId: value('certificate'),
    reason: parseReason(value('reason')),
    since: timeArgument('since'),
    until: timeArgument('until'),
    limit: parseLimit(value('limit')),
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
