import { setInterval } from 'node:timers';
import { span, type Line } from './line.ts';
import { progressLines, overviewLines, tableLines, type Overview } from './overview.ts';
import type { Screen } from './screen.ts';
import { Ticker } from './ticker.ts';

const frameMs = 100;
const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

interface Step<T> {
  /** The text while the step runs. */
  readonly doing: string;
  /** Returns the text for the result. */
  readonly done: (result: T) => string;
}

/** Shows the steps and the progress of the demo, animated if the screen allows it. */
export class Presenter {
  readonly #screen: Screen;
  readonly #now: () => number;

  constructor(screen: Screen, now: () => number) {
    this.#screen = screen;
    this.#now = now;
  }

  get isLive(): boolean {
    return this.#screen.isLive;
  }

  print(...lines: readonly Line[]): void {
    this.#screen.print(lines);
  }

  /** Runs a step. Shows `doing` or the latest text from `update`, and finally the result. */
  async step<T>({ doing, done }: Step<T>, run: (update: (text: string) => void) => Promise<T>): Promise<T> {
    const startedAt = this.#now();
    let text = doing;
    using _ = this.#frames((frame) => {
      const sign = spinner[frame % spinner.length] ?? '';
      this.#screen.show([[span(`  ${sign} `, 'accent'), span(text), this.#elapsed(startedAt)]]);
    });
    const update = (newText: string): void => {
      text = newText;
      if (!this.isLive) this.print([span(`    ${newText}`)]);
    };
    try {
      const result = await run(update);
      this.#conclude([span('  ✓ ', 'good'), span(done(result)), this.#elapsed(startedAt)]);
      return result;
    } catch (error) {
      this.#conclude([span('  ✗ ', 'bad'), span(text), this.#elapsed(startedAt)]);
      throw error;
    }
  }

  /** Shows the overview as it changes, until disposed. */
  follow(overview: () => Overview): Disposable {
    if (this.isLive) return this.#frames(() => this.#screen.show(overviewLines(overview())));
    const ticker = new Ticker(overview());
    return this.#frames((frame) => this.print(...ticker.nextLines(overview(), frame)));
  }

  /** Keeps the overview as it is now. */
  keep(overview: Overview): void {
    if (this.isLive) this.#conclude(...progressLines(overview));
    this.print(...tableLines(overview));
  }

  #conclude(...lines: readonly Line[]): void {
    this.#screen.show([]);
    this.print(...lines);
  }

  #frames(draw: (frame: number) => void): Disposable {
    let frame = 0;
    const timer = setInterval(() => draw((frame += 1)), frameMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  #elapsed(startedAt: number): Line[number] {
    return span(`  ${((this.#now() - startedAt) / 1000).toFixed(1)} s`, 'faint');
  }
}
