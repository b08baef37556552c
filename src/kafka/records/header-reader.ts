import { headerText, type RecordHeaders } from '../../certificates/record.ts';

const countPattern = /^\d{1,15}$/;
const timePattern = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/**
 * Reads headers one by one and remembers what is wrong with them: who reads asks for `problem` in the end, and drops
 * the stand-ins that the readings below gave if there is one. A problem names the header, never its value.
 */
export class HeaderReader {
  readonly #headers: RecordHeaders;
  readonly #problems: string[] = [];

  constructor(headers: RecordHeaders) {
    this.#headers = headers;
  }

  get problem(): string | undefined {
    return this.#problems.length === 0 ? undefined : this.#problems.join('; ');
  }

  optional(name: string): string | undefined {
    return headerText(this.#headers, name);
  }

  required(name: string): string {
    return this.optional(name) ?? this.#addProblem(`the header ${name} is missing`, '');
  }

  oneOf<Choice extends string>(name: string, choices: readonly [Choice, ...Choice[]]): Choice {
    const text = this.required(name);
    const known = choices.find((choice) => choice === text);
    return known ?? this.#addProblem(`the header ${name} is none of ${choices.join(', ')}`, choices[0]);
  }

  /** A whole number from zero on. */
  count(name: string, otherwise: number): number {
    const text = this.optional(name);
    if (text === undefined) return otherwise;
    return countPattern.test(text) ? Number(text) : this.#addProblem(`the header ${name} is no whole number`, 0);
  }

  /** Epoch milliseconds of an ISO 8601 time in UTC. */
  time(name: string): number | undefined {
    const text = this.optional(name);
    if (text === undefined) return undefined;
    const epochMs = timePattern.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(epochMs) ? this.#addProblem(`the header ${name} is no ISO 8601 time in UTC`, 0) : epochMs;
  }

  #addProblem<Standin>(problem: string, standin: Standin): Standin {
    this.#problems.push(problem);
    return standin;
  }
}
