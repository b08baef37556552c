import type { WriteStream } from 'node:tty';
import { fit, painted, plainText, type Line } from './line.ts';

/** The output of the demo. */
export interface Screen extends Disposable {
  /** True when lines can be redrawn in place. */
  readonly isLive: boolean;
  readonly width: number;
  readonly height: number;
  /** Writes lines that stay. */
  print(lines: readonly Line[]): void;
  /** Shows lines below the printed ones. They replace the lines shown before. */
  show(lines: readonly Line[]): void;
}

type Output = Pick<WriteStream, 'write' | 'columns' | 'rows'>;

const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';
/** Control sequences (ECMA-48) that erase to the end of the line, and to the end of the screen. */
const eraseLine = '\u001B[K';
const eraseBelow = '\u001B[J';

export class LiveScreen implements Screen {
  readonly isLive = true;
  readonly #output: Output;
  #shown: readonly Line[] = [];

  constructor(output: Output) {
    this.#output = output;
    output.write(hideCursor);
  }

  get width(): number {
    return this.#output.columns || 80;
  }

  get height(): number {
    return this.#output.rows || 24;
  }

  print(lines: readonly Line[]): void {
    this.#draw(lines.map(painted), this.#shown);
  }

  show(lines: readonly Line[]): void {
    this.#draw([], lines);
  }

  [Symbol.dispose](): void {
    this.show([]);
    this.#output.write(showCursor);
  }

  /** Redraws in one write, to avoid flicker. Lines beyond the height are left out: they could not be redrawn. */
  #draw(lasting: readonly string[], shown: readonly Line[]): void {
    const fitted = shown.slice(0, this.height - 1);
    const up = this.#shown.length === 0 ? '' : `\u001B[${this.#shown.length}A`;
    const lines = [...lasting, ...fitted.map((line) => painted(fit(line, this.width)))];
    this.#shown = fitted;
    this.#output.write(`${up}\r${lines.map((line) => `${line}${eraseLine}\n`).join('')}${eraseBelow}`);
  }
}

/** Prints plain lines, for logs and files. */
export class PlainScreen implements Screen {
  readonly isLive = false;
  readonly width = 80;
  readonly height = Number.POSITIVE_INFINITY;
  readonly #output: Pick<Output, 'write'>;

  constructor(output: Pick<Output, 'write'>) {
    this.#output = output;
  }

  print(lines: readonly Line[]): void {
    for (const line of lines) this.#output.write(`${plainText(line)}\n`);
  }

  /** Does nothing: a plain screen cannot redraw. */
  show(): void {}

  [Symbol.dispose](): void {}
}

/** Returns a live screen for a terminal, unless `NO_COLOR` (no-color.org) or `CI` asks for plain lines. */
export function openScreen(
  output: Output & { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): Screen {
  const isPlain = ['NO_COLOR', 'CI'].some((name) => (environment[name] ?? '') !== '') || environment['TERM'] === 'dumb';
  return output.isTTY === true && !isPlain ? new LiveScreen(output) : new PlainScreen(output);
}
