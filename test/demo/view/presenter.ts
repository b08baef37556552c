import { setInterval } from 'node:timers';
import { plainText, span, type Line } from './line.ts';
import { overviewSummary, tableLines, type Overview } from './overview.ts';
import type { Screen } from './screen.ts';

const summaryMs = 2000;

interface Step<T> {
  /** The text of a step that fails. */
  readonly doing: string;
  /** Returns the text for the result. */
  readonly done: (result: T) => string;
}

/** Prints the steps and the progress of the demo. */
export class Presenter {
  readonly #screen: Screen;
  readonly #now: () => number;

  constructor(screen: Screen, now: () => number) {
    this.#screen = screen;
    this.#now = now;
  }

  print(...lines: readonly Line[]): void {
    this.#screen.print(lines);
  }

  /** Runs a step. Prints each text from `update`, and finally the result. */
  async step<T>({ doing, done }: Step<T>, run: (update: (text: string) => void) => Promise<T>): Promise<T> {
    const startedAt = this.#now();
    const elapsed = () => span(`  ${((this.#now() - startedAt) / 1000).toFixed(1)} s`, 'faint');
    try {
      const result = await run((text) => this.print([span(`    ${text}`)]));
      this.print([span('  ✓ ', 'good'), span(done(result)), elapsed()]);
      return result;
    } catch (error) {
      this.print([span('  ✗ ', 'bad'), span(doing), elapsed()]);
      throw error;
    }
  }

  /** Prints new notes, and a summary when it has changed, until disposed. */
  follow(overview: () => Overview): Disposable {
    let printed = overview();
    const timer = setInterval(() => {
      const now = overview();
      this.print(...now.notes.slice(printed.notes.length));
      const summary = overviewSummary(now);
      if (plainText(summary) !== plainText(overviewSummary(printed))) this.print(summary);
      printed = now;
    }, summaryMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  /** Prints the counts of each webhook as they are now. */
  keep(overview: Overview): void {
    this.print(...tableLines(overview));
  }
}
