import { z } from 'zod';
import { attemptOf, type Attempt } from './attempt.ts';

const anyLine = z.looseObject({ event: z.string(), level: z.string() });
type LogLine = Readonly<z.infer<typeof anyLine>>;

/** What the service wrote to its log so far. */
export class Journal {
  readonly #text: string[] = [];
  readonly #lines: LogLine[] = [];
  readonly #attempts: Attempt[] = [];
  readonly #unreadable: string[] = [];

  /** Everything, as it was written. */
  get text(): readonly string[] {
    return this.#text;
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  get attempts(): readonly Attempt[] {
    return this.#attempts;
  }

  /** Lines that are no JSON object with a level and an event. */
  get unreadable(): readonly string[] {
    return this.#unreadable;
  }

  take(text: string): void {
    this.#text.push(text);
    const line = anyLine.safeParse(parsed(text)).data;
    if (line === undefined) {
      this.#unreadable.push(text);
      return;
    }
    this.#lines.push(line);
    const attempt = attemptOf(line);
    if (attempt !== undefined) this.#attempts.push(attempt);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
