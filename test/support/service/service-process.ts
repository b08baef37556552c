import type { Environment } from '../../../src/settings.ts';
import { compiled } from '../processes/compiled.ts';
import { Program, type ProgramOptions } from '../processes/program.ts';
import { Arrivals } from '../time/arrivals.ts';

export type { Exit } from '../processes/program.ts';

type Line = Readonly<Record<string, unknown>>;

/** The service in a process of its own, as in production. Disposing it kills the process. */
export class ServiceProcess extends Program {
  readonly #byEvent = new Map<string, Arrivals<Line>>();

  constructor(
    environment: Environment,
    args: readonly string[] = ['serve'],
    options: Pick<ProgramOptions, 'nodeFlags' | 'hasChannel'> = {},
  ) {
    super({ ...options, args, environment: { PATH: process.env['PATH'], ...compiled, ...environment } });
  }

  /** Waits for the first `count` log lines of that event. */
  logged(event: string, count = 1): Promise<readonly Line[]> {
    return this.#arrivals(event).first(count);
  }

  /** Resolves once both consumer groups have joined. */
  async ready(): Promise<void> {
    await this.logged('consumer.joined', 2);
  }

  protected override take(text: string): void {
    super.take(text);
    if (!text.startsWith('{')) return;
    const line = JSON.parse(text) as Line;
    this.#arrivals(String(line['event'])).add(line);
  }

  #arrivals(event: string): Arrivals<Line> {
    const arrivals = this.#byEvent.get(event) ?? new Arrivals<Line>(`log line ${event}`);
    this.#byEvent.set(event, arrivals);
    return arrivals;
  }
}
