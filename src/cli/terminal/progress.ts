import type { Clock } from '../../lib/clock.ts';

export interface ProgressScreen {
  readonly clock: Pick<Clock, 'now'>;
  /** Takes one line, without its end. */
  readonly err: (line: string) => void;
  /** Puts a text in the place of the terminal's last line; undefined where nobody watches. */
  readonly bar: ((text: string) => void) | undefined;
}

const redrawMs = 100;
const lineEveryMs = 10_000;
const barLength = 24;

/** Tells how far a long work is: by a bar where somebody watches, else by a line now and then. */
export class Progress implements Disposable {
  readonly #what: string;
  readonly #total: number;
  readonly #screen: ProgressScreen;
  readonly #startedAt: number;
  #done = 0;
  #toldAt: number;

  constructor(what: string, total: number, screen: ProgressScreen) {
    this.#what = what;
    this.#total = total;
    this.#screen = screen;
    this.#startedAt = screen.clock.now();
    this.#toldAt = this.#startedAt;
  }

  advance(count: number): void {
    const { clock, bar, err } = this.#screen;
    this.#done += count;
    const now = clock.now();
    if (now - this.#toldAt < (bar === undefined ? lineEveryMs : redrawMs)) return;
    this.#toldAt = now;
    if (bar === undefined) err(this.#text(now));
    else bar(this.#drawing(now));
  }

  /** Takes the bar away. */
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
