import { secretsOf } from '../subscribers/subscribers.ts';
import type { Observations } from '../scenario/observations.ts';
import { expectEqual, type Check } from './check.ts';
import { parseExposition } from '../../telemetry/support/exposition.ts';

/** Compares the metrics with what was received and settled. */
export function checkMetrics({ metrics, names, receipts, deadLetters }: Observations): readonly Check[] {
  const samples = readMetrics(metrics);
  const topics = [names.completed, names.expired, ...names.tiers];
  const sums = (family: string) => topics.map((topic) => [topic, sumOf(samples, family, `topic="${topic}"`)]);
  const requests = receipts.flatMap((one) => one.requests).length;
  return [
    expectEqual('consumed = settled, topic by topic', sums('records_consumed_total'), sums('records_settled_total')),
    expectEqual(
      'delivery_attempts_total counts the requests, dead_letters_total the dead letters',
      [requests, deadLetters.length],
      [sumOf(samples, 'delivery_attempts_total'), sumOf(samples, 'dead_letters_total')],
    ),
    expectEqual('unsettled_records is 0', 0, sumOf(samples, 'unsettled_records')),
  ];
}

/** Every log line is valid and no error. No secret appears in the log, the metrics, the results or the dead letters. */
export function checkLog({ log, metrics, deadLetters, results, notices, receipts }: Observations): readonly Check[] {
  const told = [...deadLetters.map(({ headers }) => headers), ...results, ...notices].map((one) => JSON.stringify(one));
  const published = [...log.text, metrics, ...told];
  const secrets = new Set(receipts.flatMap(({ subscriber }) => secretsOf(subscriber)));
  const serious = log.lines.filter(({ level }) => level === 'error' || level === 'fatal');
  return [
    expectEqual(`all ${log.text.length} lines of the log are JSON with a level and an event`, [], log.unreadable),
    expectEqual('none of them is an error', [], serious),
    expectEqual(
      `${secrets.size} secrets are in no log line, metric, result or dead letter's header`,
      [],
      [...secrets].filter((secret) => published.some((text) => text.includes(secret))),
    ),
  ];
}

/** The samples of a page of metrics, by name and labels, without the common prefix of the service. */
type Samples = ReadonlyMap<string, number>;

export function readMetrics(text: string): Samples {
  const prefix = 'certificate_webhooks_';
  const samples = [...parseExposition(text).values()].flatMap((metric) => metric.samples.entries().toArray());
  const ours = samples.filter(([series]) => series.startsWith(prefix));
  return new Map(ours.map(([series, value]) => [series.slice(prefix.length), value]));
}

/** Returns the sum of a family, or of its series with that label. */
export function sumOf(samples: Samples, family: string, label = ''): number {
  return [...samples]
    .filter(([series]) => series.split('{', 1)[0] === family && series.includes(label))
    .reduce((sum, [, value]) => sum + value, 0);
}
