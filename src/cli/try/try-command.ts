import { eventTypes, type EventType } from '../../certificates/certificate.ts';
import { parseArguments } from '../usage/parse-arguments.ts';
import type { TryTarget } from './target/find-webhook.ts';

export interface TryCommand {
  readonly target: TryTarget;
  /** Undefined for the first event that the webhook wants. */
  readonly eventType: EventType | undefined;
  /** Plays the table of `docs/subscribers.md` in place of sending one certificate. */
  readonly conformance: boolean;
}

/** Parses the arguments. Throws a `TypeError` that says which argument is wrong. */
export function parseTryCommand(args: readonly string[]): TryCommand {
  const { operands, value, has } = parseArguments('try', args);
  return {
    target: parseTarget(operands[0] ?? ''),
    eventType: parseEvent(value('event')),
    conformance: has('conformance'),
  };
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
