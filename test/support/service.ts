import { startService } from '../../src/service.ts';
import { describeProblem, loadSettings, type Environment } from '../../src/settings.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { Arrivals } from './arrivals.ts';

export type LogLine = Readonly<Record<string, unknown>>;

/** The whole service in this process. Disposing it stops it, and fails when it does not drain. */
export interface ServiceUnderTest extends AsyncDisposable {
  readonly log: readonly LogLine[];
  /** Resolves to the first `count` lines of that event, once they are there. */
  logged(event: string, count?: number): Promise<readonly LogLine[]>;
  get(path: string): Promise<{ readonly status: number; readonly body: string }>;
  /** The value of one series, labels as the text has them: `name{a="b"}`; undefined when there is none. */
  metric(series: string): Promise<number | undefined>;
  stop(): Promise<boolean>;
}

/** Starts the service in this process and waits until it is ready. */
export async function runService(environment: Environment): Promise<ServiceUnderTest> {
  const loaded = await loadSettings(environment);
  if (loaded.kind === 'problems') throw new Error(loaded.problems.map(describeProblem).join('\n'));
  const lines = new LogLines();
  const logger = createLogger({ level: loaded.settings.log.level, version: 'test', destination: lines });
  const { signal } = new AbortController();
  const service = await startService({ settings: loaded.settings, logger, version: 'test', signal });
  await lines.of('consumer.joined', 2);
  let stopping: Promise<boolean> | undefined;
  const stop = (): Promise<boolean> => (stopping ??= service.stop());
  const get = async (path: string): Promise<{ readonly status: number; readonly body: string }> => {
    const response = await fetch(`http://127.0.0.1:${service.httpPort}${path}`, { headers: { connection: 'close' } });
    return { status: response.status, body: await response.text() };
  };
  return {
    log: lines.all,
    logged: (event, count = 1) => lines.of(event, count),
    get,
    metric: async (series) => {
      const { body } = await get('/metrics');
      const line = body.split('\n').find((text) => text.startsWith(`certificate_webhooks_${series} `));
      return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      if (!(await stop())) throw new Error('the service did not drain');
    },
  };
}

/** Takes the log as the lines come. */
class LogLines {
  readonly all: LogLine[] = [];
  readonly #byEvent = new Map<string, Arrivals<LogLine>>();

  write(text: string): void {
    const line = JSON.parse(text) as LogLine;
    this.all.push(line);
    this.#arrivals(String(line['event'])).add(line);
  }

  of(event: string, count: number): Promise<readonly LogLine[]> {
    return this.#arrivals(event).first(count);
  }

  #arrivals(event: string): Arrivals<LogLine> {
    const arrivals = this.#byEvent.get(event) ?? new Arrivals<LogLine>(`log line ${event}`);
    this.#byEvent.set(event, arrivals);
    return arrivals;
  }
}
