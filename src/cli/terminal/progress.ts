import type { Clock } from '../../lib/clock.ts';
import type { Terminal } from './terminal.ts';

export interface ProgressScreen extends Pick<Terminal, 'err' | 'bar'> {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

/** Time in ms between two drawings of the bar. Bounds the output to ten drawings per second. */
const redrawMs = 100;
/** Time in ms between two lines where no bar is drawn. Bounds the output of a long run. */
const lineEveryMs = 10_000;
const barLength = 24;

/** Shows the progress of a long command: a bar on a terminal, otherwise a line now and then. */
export class Progress implements Disposable {
  readonly #what: string;
  readonly #total: number;
  readonly #screen: ProgressScreen;
  readonly #startedAt: number;
  #done = 0;
  #printedAt: number;

  constructor(what: string, total: number, screen: ProgressScreen) {
    this.#what = what;
    this.#total = total;
    this.#screen = screen;
    this.#startedAt = screen.clock.monotonic();
    this.#printedAt = this.#startedAt;
  }

  advance(count: number): void {
    const { clock, bar, err } = this.#screen;
    this.#done += count;
    const now = clock.monotonic();
    if (now - this.#printedAt < (bar === undefined ? lineEveryMs : redrawMs)) return;
    this.#printedAt = now;
    if (bar === undefined) err(this.#text(now));
    else bar(this.#drawing(now));
  }

  [Symbol.dispose](): void {
    this.#screen.bar?.('');
  }

  #drawing(now: number): string {
    const filled = Math.round(barLength * this.#share());
    return `[${'#'.repeat(filled)}${'.'.repeat(barLength - filled)}] ${this.#text(now)}`;
  }

  #text(now: number): string {
    const perSecond = Math.round(this.#done / Math.max(0.001, (now - this.#startedAt) / 1000));
    const percent = Math.floor(100 * this.#share());
    return `${this.#what}: ${percent} %, ${this.#done} of ${this.#total}, ${perSecond}/s`;
  }

  #share(): number {
    return this.#total === 0 ? 1 : Math.min(1, this.#done / this.#total);
  }
}

/** Names that are listed one by one. The others are summed up in one line. */
const maxNames = 20;

export class CountsByName {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    if (count > 0) this.#counts.set(name, this.of(name) + count);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Formats the largest counts first. */
  lines(): readonly string[] {
    const all = [...this.#counts].toSorted(([, one], [, other]) => other - one);
    const others = all.slice(maxNames);
    const lines = all.slice(0, maxNames).map(([name, count]) => `  ${name}: ${count}`);
    if (others.length === 0) return lines;
    return [...lines, `  ${others.length} others: ${others.reduce((sum, [, count]) => sum + count, 0)}`];
  }
}
