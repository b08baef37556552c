import { z } from 'zod';
import { parseAttempt, type Attempt } from './attempt.ts';

const logLine = z.looseObject({ event: z.string(), level: z.string() });
type LogLine = Readonly<z.infer<typeof logLine>>;

/** The log of the service so far. */
export class ServiceLog {
  readonly #text: string[] = [];
  readonly #lines: LogLine[] = [];
  readonly #attempts: Attempt[] = [];
  readonly #unreadable: string[] = [];

  /** All lines as they were written. */
  get text(): readonly string[] {
    return this.#text;
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  get attempts(): readonly Attempt[] {
    return this.#attempts;
  }

  /** Lines that are not a JSON object with a level and an event. */
  get unreadable(): readonly string[] {
    return this.#unreadable;
  }

  add(text: string): void {
    this.#text.push(text);
    const line = logLine.safeParse(parseJson(text)).data;
    if (line === undefined) {
      this.#unreadable.push(text);
      return;
    }
    this.#lines.push(line);
    const attempt = parseAttempt(line);
    if (attempt !== undefined) this.#attempts.push(attempt);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
