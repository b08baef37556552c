import { startService } from '../../../src/service.ts';
import type { Environment } from '../../../src/settings.ts';
import { createLogger } from '../../../src/telemetry/logger/logger.ts';
import { Arrivals } from '../time/arrivals.ts';
import type { Place } from '../kafka/records.ts';
import { settingsFrom } from './default-settings.ts';

export type LogLine = Readonly<Record<string, unknown>>;

/** The whole service in this process. Disposing it stops it and throws when it does not drain. */
export interface ServiceUnderTest extends AsyncDisposable {
  readonly log: readonly LogLine[];
  /** Waits for the first `count` log lines of that event with those fields. */
  logged(event: string, count?: number, fields?: LogLine): Promise<readonly LogLine[]>;
  /** Resolves to the settlement results of these records, in the same order. */
  settled(topic: string, places: readonly Place[]): Promise<readonly unknown[]>;
  /** The URL of the admin server, without a path. */
  readonly url: string;
  get(path: string): Promise<{ readonly status: number; readonly body: string }>;
  /** Returns the value of a series, written `name{a="b",c="d"}`; undefined when there is none. */
  metric(series: string): Promise<number | undefined>;
  /** Counts records that are consumed, but neither settled nor unsettled. Must always be 0. */
  unaccounted(): Promise<number>;
  stop(): Promise<boolean>;
}

/** Starts the service in this process and waits until it is ready. */
export async function runService(environment: Environment): Promise<ServiceUnderTest> {
  const settings = await settingsFrom(environment);
  const log = new LogLines();
  const logger = createLogger({ level: settings.log.level, version: 'test', destination: log });
  const { signal } = new AbortController();
  const service = await startService({ settings, logger, version: 'test', signal });
  await log.of(2, { event: 'consumer.joined' });
  let stopping: Promise<boolean> | undefined;
  const stop = (): Promise<boolean> => (stopping ??= service.stop());
  const url = `http://127.0.0.1:${service.httpPort}`;
  const get = async (path: string): Promise<{ readonly status: number; readonly body: string }> => {
    const response = await fetch(`${url}${path}`, { headers: { connection: 'close' } });
    return { status: response.status, body: await response.text() };
  };
  return {
    log: log.all,
    logged: (event, count = 1, fields = {}) => log.of(count, { event, ...fields }),
    settled: async (topic, places) => {
      const lines = places.map(async (place) => log.of(1, { event: 'record.settled', topic, ...place }));
      return (await Promise.all(lines)).map(([line]) => line?.['result']);
    },
    url,
    get,
    metric: async (series) => {
      const { body } = await get('/metrics');
      const wanted = inOrder(`certificate_webhooks_${series}`);
      const line = body.split('\n').find((text) => inOrder(text.slice(0, text.lastIndexOf(' '))) === wanted);
      return line === undefined ? undefined : valueOf(line);
    },
    unaccounted: async () => {
      const { body } = await get('/metrics');
      const seen = sumOf(body, 'records_settled_total') + sumOf(body, 'unsettled_records');
      return sumOf(body, 'records_consumed_total') - seen;
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      if (!(await stop())) throw new Error('the service did not drain');
    },
  };
}

/** Returns the series with its labels sorted by name. */
function inOrder(series: string): string {
  const labels = series.match(/\w+="[^"]*"/g) ?? [];
  return `${series.split('{')[0]}{${labels.toSorted().join()}}`;
}

/** Returns the sum of all series of that name. */
function sumOf(metrics: string, name: string): number {
  const series = metrics.split('\n').filter((line) => line.split(/[{ ]/)[0] === `certificate_webhooks_${name}`);
  return series.reduce((sum, line) => sum + valueOf(line), 0);
}

function valueOf(line: string): number {
  return Number(line.slice(line.lastIndexOf(' ') + 1));
}

/** The log lines so far, and the tests that wait for more. */
class LogLines {
  readonly all: LogLine[] = [];
  readonly #wanted = new Map<string, Wanted>();

  write(text: string): void {
    const line = JSON.parse(text) as LogLine;
    this.all.push(line);
    for (const { fields, arrivals } of this.#wanted.values()) if (hasFields(line, fields)) arrivals.add(line);
  }

  of(count: number, fields: LogLine): Promise<readonly LogLine[]> {
    return this.#arrivals(fields).first(count);
  }

  #arrivals(fields: LogLine): Arrivals<LogLine> {
    const name = JSON.stringify(fields);
    const wanted = this.#wanted.get(name) ?? { fields, arrivals: new Arrivals<LogLine>(`log line ${name}`) };
    if (!this.#wanted.has(name)) {
      for (const line of this.all) if (hasFields(line, fields)) wanted.arrivals.add(line);
      this.#wanted.set(name, wanted);
    }
    return wanted.arrivals;
  }
}

interface Wanted {
  readonly fields: LogLine;
  readonly arrivals: Arrivals<LogLine>;
}

function hasFields(line: LogLine, fields: LogLine): boolean {
  return Object.entries(fields).every(([name, value]) => line[name] === value);
}
