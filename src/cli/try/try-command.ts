import { eventTypes, type EventType } from '../../certificates/certificate.ts';
import { parseArguments } from '../usage/parse-arguments.ts';

/** The parsed arguments of `try`. */
export interface TryCommand {
  readonly target: TryTarget;
  /** Undefined for the first event that the webhook wants. */
  readonly eventType: EventType | undefined;
}

/** Where the configuration is: under its id in the configurations, or in a file of its own. */
export type TryTarget = { readonly kind: 'id'; readonly id: string } | { readonly kind: 'file'; readonly path: string };

/** Parses the arguments. Throws a `TypeError` that says which argument is wrong. */
export function parseTryCommand(args: readonly string[]): TryCommand {
  const { operands, value } = parseArguments('try', args);
  return { target: parseTarget(operands[0] ?? ''), eventType: parseEvent(value('event')) };
}

/** A path has a slash or the ending of a configuration file, or is `-`. No id that a platform makes looks like one. */
function parseTarget(operand: string): TryTarget {
  const isPath = operand === '-' || operand.includes('/') || /\.(?:jsonl?|ya?ml)$/i.test(operand);
  return isPath ? { kind: 'file', path: operand } : { kind: 'id', id: operand };
}

function parseEvent(text: string | undefined): EventType | undefined {
  if (text === undefined) return undefined;
  const found = eventTypes.find((eventType) => eventType === text);
  if (found === undefined)
    throw new TypeError(`--event is ${JSON.stringify(text)}: expected ${eventTypes.join(' or ')}`);
  return found;
}
