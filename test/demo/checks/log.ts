import { secretsOf } from '../subscribers/subscribers.ts';
import type { Observations } from '../scenario/observations.ts';
import { expectEqual, type Check } from './check.ts';

/** Every log line is valid and no error. No secret appears in the log, the metrics, the results or the dead letters. */
export function checkLog({
  log,
  metrics,
  deadLetters,
  results,
  changes,
  notices,
  receipts,
}: Observations): readonly Check[] {
  const told = [...deadLetters.map(({ headers }) => headers), ...results, ...changes, ...notices].map((one) =>
    JSON.stringify(one),
  );
  const published = [...log.text, metrics.text, ...told];
  const secrets = new Set(receipts.flatMap(({ subscriber }) => secretsOf(subscriber)));
  const serious = log.lines.filter(({ level }) => level === 'error' || level === 'fatal');
  return [
    expectEqual(`all ${log.text.length} lines of the log are JSON with a level and an event`, [], log.unreadable),
    expectEqual('none of them is an error', [], serious),
    expectEqual(
      `${secrets.size} secrets are in no log line, metric, result or dead letter's header`,
      { lines: log.text.length > 0, secrets: [] },
      {
        lines: published.length > 2,
        secrets: [...secrets].filter((secret) => published.some((text) => text.includes(secret))),
      },
    ),
  ];
}
