import { setInterval } from 'node:timers';
import { span, type Line } from './line.ts';
import { progressLines, sceneLines, tableLines, type Scene } from './overview.ts';
import type { Screen } from './screen.ts';
import { Ticker } from './ticker.ts';

const frameMs = 100;
const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

export interface Step<T> {
  /** What goes on. */
  readonly doing: string;
  /** What it came to. */
  readonly done: (result: T) => string;
}

/** Shows what goes on, as the screen allows. */
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

  /** Runs it and shows that it does; `doing` and what `say` replaces it with, and then what it came to. */
  async step<T>({ doing, done }: Step<T>, run: (say: (text: string) => void) => Promise<T>): Promise<T> {
    const startedAt = this.#now();
    let text = doing;
    using _ = this.#frames((frame) => {
      const sign = spinner[frame % spinner.length] ?? '';
      this.#screen.show([[span(`  ${sign} `, 'accent'), span(text), this.#since(startedAt)]]);
    });
    const say = (said: string): void => {
      text = said;
      if (!this.isLive) this.print([span(`    ${said}`)]);
    };
    try {
      const result = await run(say);
      this.#conclude([span('  ✓ ', 'good'), span(done(result)), this.#since(startedAt)]);
      return result;
    } catch (error) {
      this.#conclude([span('  ✗ ', 'bad'), span(text), this.#since(startedAt)]);
      throw error;
    }
  }

  /** Shows the scene as it changes, until disposed. */
  follow(scene: () => Scene): Disposable {
    if (this.isLive) return this.#frames(() => this.#screen.show(sceneLines(scene())));
    const ticker = new Ticker(scene());
    return this.#frames((frame) => this.print(...ticker.news(scene(), frame)));
  }

  /** Keeps the scene as it is now. */
  keep(scene: Scene): void {
    if (this.isLive) this.#conclude(...progressLines(scene));
    this.print(...tableLines(scene));
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

  #since(startedAt: number): Line[number] {
    return span(`  ${((this.#now() - startedAt) / 1000).toFixed(1)} s`, 'faint');
  }
}
