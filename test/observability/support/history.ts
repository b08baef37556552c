import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { startPrometheus, type Prometheus, type Samples } from './prometheus.ts';
import { shippedRules, type ShippedRule } from './shipped.ts';

const run = promisify(execFile);

/** The samples that a Prometheus has scraped between two times, in seconds since the epoch. */
export interface Recording {
  readonly from: number;
  readonly to: number;
  readonly series: readonly RecordedSamples[];
}

interface RecordedSamples extends Samples {
  /** The last value before the recording, from which a counter counts on. */
  readonly before: number | undefined;
}

/** A second of a recording becomes two minutes, so that seconds of a real fault fill days. */
const stretch = 120;
/** The time between two evaluations of a rule in the past: that between two stretched samples. */
const interval = `${stretch}s`;
const minute = 60;

/** Records the series that a selector matches while the fault happens. */
export async function record(
  prometheus: Prometheus,
  selector: string,
  happens: () => Promise<void>,
): Promise<Recording> {
  const from = Date.now() / 1000;
  await happens();
  const to = Date.now() / 1000;
  const series = await prometheus.samples(`${selector}[${Math.ceil(Date.now() / 1000 - from) + 10}s]`);
  return {
    from,
    to,
    series: series.map(({ metric, values }) => ({
      metric,
      before: values
        .filter(([time]) => time < from)
        .map(([, value]) => Number(value))
        .at(-1),
      values: values.filter(([time]) => time >= from && time < to),
    })),
  };
}

/** Returns the seconds that a recording takes in a history. */
export function lengthInHistory({ from, to }: Recording): number {
  return (to - from) * stretch;
}

/** A Prometheus that was started after this history, and the moment at which the history ends. */
export interface PrometheusWithHistory extends Prometheus {
  readonly end: number;
}

/**
 * Starts a Prometheus whose past consists of these recordings, one after the other. The shipped recording rules and the
 * alert are evaluated in that past, as promtool does it for a rule that is new. Then the alert is evaluated as usual: if its
 * expression held for the whole time of `for`, it fires at once, as after a restart.
 */
export async function startAfter(recordings: readonly Recording[], alert: string): Promise<PrometheusWithHistory> {
  await using parts = new AsyncDisposableStack();
  const files = parts.use(await writeTemporaryFiles({ 'samples.txt': '' }));
  const end = Math.floor(Date.now() / 1000);
  const length = recordings.reduce((sum, recording) => sum + lengthInHistory(recording), 0);
  const storage = files.path('data');
  await writeFile(files.path('samples.txt'), historyText(recordings, end - length));
  await run('promtool', [...backfill, 'openmetrics', files.path('samples.txt'), storage]);
  const rule = shippedRules('alerts')
    .flatMap(({ rules }) => rules)
    .find((one) => one.alert === alert);
  if (rule === undefined) throw new Error(`There is no alert ${alert}`);
  const stages = [
    ...stagesFor(rule.expr).map((rules) => ({ rules, start: end - length })),
    { rules: [pendingSince(rule)], start: end - 2 * minute },
  ];
  for (const { rules, start } of stages) {
    await using prometheus = await startPrometheus([], { storage, ruleFiles: 'none' });
    const file = join(storage, '..', 'rules.yaml');
    await writeFile(file, stringify({ groups: [{ name: 'past', interval, rules }] }));
    const times = [`--start=${Math.floor(start)}`, `--end=${end}`, `--url=${prometheus.url}`];
    await run('promtool', [...backfill, 'rules', ...times, `--output-dir=${storage}`, file]);
  }
  const prometheus = parts.use(await startPrometheus([], { storage, everySeconds: 5 }));
  const owned = parts.move();
  return { ...prometheus, end, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const backfill = ['tsdb', 'create-blocks-from', '--max-block-duration=72h'];

/** Returns the recording rules that these expressions need, in stages: each stage needs only those before it. */
function stagesFor(expressions: string): readonly (readonly ShippedRule[])[] {
  const needed = recordingRules.filter(({ record: name = '' }) => expressions.includes(`${name}{`));
  if (needed.length === 0) return [];
  return [...stagesFor(needed.map(({ expr }) => expr).join('\n')), needed];
}

const recordingRules = shippedRules('recording').flatMap(({ rules }) => rules);

/** Returns a rule for what Prometheus writes about a pending alert, once its expression has held for the time of `for`. */
function pendingSince({ alert, expr, labels, for: duration = '0m' }: ShippedRule): object {
  const minutes = Number(duration.replace('m', ''));
  return {
    record: 'ALERTS_FOR_STATE',
    expr: `(count_over_time((\n${expr}\n)[${minutes}m:1m]) >= ${minutes}) * 0 + time() - ${minutes * minute}`,
    labels: { ...labels, alertname: alert },
  };
}

/** Returns all samples of a history in the format OpenMetrics. Counters continue from one recording to the next. */
export function historyText(recordings: readonly Recording[], start: number): string {
  const totals = new Map<string, number>();
  const lines: string[] = [];
  let begin = start;
  for (const recording of recordings) {
    for (const { metric, before, values } of recording.series) {
      const name = seriesName(metric);
      const change = changeOf(metric, {
        total: totals.get(name) ?? 0,
        from: before ?? Number(values[0]?.[1]),
      });
      for (const [time, value] of values) {
        const at = begin + (time - recording.from) * stretch;
        const changed = change(Number(value), at - time);
        lines.push(`${name} ${changed} ${at.toFixed(3)}`);
        totals.set(name, changed);
      }
    }
    begin += lengthInHistory(recording);
  }
  return `${lines.join('\n')}\n# EOF\n`;
}

/** Returns how the values of a series change when they move to another time. */
function changeOf(
  { __name__: name = '' }: Samples['metric'],
  { total, from }: { readonly total: number; readonly from: number },
): (value: number, laterBy: number) => number {
  if (name.endsWith('_timestamp_seconds')) return (value, laterBy) => value + laterBy;
  return /_(?:total|count|sum|bucket)$/.test(name) ? (value) => total + value - from : (value) => value;
}

function seriesName({ __name__: name = '', ...labels }: Samples['metric']): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${name}{${pairs.join()}}`;
}
