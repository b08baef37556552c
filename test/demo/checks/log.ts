import { secretsOf } from '../subscribers/subscribers.ts';
import type { Evidence } from '../scenario/observations.ts';
import { expectEqual, type Check } from './check.ts';

/** What the service says, and what it keeps to itself. */
export function checkLog({ log, metrics, deadLetters, receipts }: Evidence): readonly Check[] {
  const told = [...log.text, metrics.text, ...deadLetters.map(({ headers }) => JSON.stringify(headers))];
  const secrets = new Set(receipts.flatMap(({ subscriber }) => secretsOf(subscriber)));
  const serious = log.lines.filter(({ level }) => level === 'error' || level === 'fatal');
  return [
    expectEqual(`all ${log.text.length} lines of the log are JSON with a level and an event`, [], log.unreadable),
    expectEqual('none of them is an error', [], serious),
    expectEqual(
      `${secrets.size} secrets are in no log line, metric or dead letter's header`,
      { lines: log.text.length > 0, secrets: [] },
      { lines: told.length > 2, secrets: [...secrets].filter((secret) => told.some((text) => text.includes(secret))) },
    ),
  ];
}
