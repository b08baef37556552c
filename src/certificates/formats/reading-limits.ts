/** Fields, elements and entries of one record, at any depth. A certificate has dozens. Reading this many takes some 50 ms. */
export const maxValues = 50_000;
/** Names, symbols, defaults and digits in the JSON of one record. A few bytes can ask for any number of them. */
const maxCharacters = 4 * 1024 * 1024;
/** Records, lists and maps within each other, like the limit of Protobuf. */
export const maxDepth = 100;
/** Digits of a decimal. Databases have less than 100; writing them takes quadratic time. */
const maxDigits = 1000;
const digitsPerByte = 8 * Math.log10(2);
const maxDecimalBytes = Math.ceil(maxDigits / digitsPerByte);

/** Thrown when a record would cost more than any record may. The message quotes none of it. */
export class RecordTooComplexError extends Error {
  override readonly name = 'RecordTooComplexError';
}

/**
 * Bounds what reading one record may cost, which its size does not. A list of empty records, or a type that contains another
 * one twice, turns a few bytes into gigabytes.
 */
export class ReadingLimits {
  #values = 0;
  #characters = 0;
  #depth = 0;

  /** Counts values before they are read, and the characters that their schema asks for. */
  claim(values: number, characters = 0): void {
    this.#values += values;
    this.#characters += characters;
    if (this.#values > maxValues) throw tooComplex(`it has more than ${maxValues} values`);
    if (this.#characters > maxCharacters)
      throw tooComplex(`its names and digits have more than ${maxCharacters} characters`);
  }

  /** Counts the digits of a decimal before they are written. */
  claimDecimal(bytes: number, places: number): void {
    if (bytes > maxDecimalBytes || places > maxDigits) throw tooComplex(`a decimal has more than ${maxDigits} digits`);
    this.claim(0, Math.max(places, Math.ceil(bytes * digitsPerByte)));
  }

  /** Counts a value that holds others, until `leave`. A type may contain itself, so the depth of its values is bounded. */
  enter(): void {
    if (this.#depth === maxDepth) throw tooComplex(`it is nested more than ${maxDepth} deep`);
    this.#depth += 1;
  }

  leave(): void {
    this.#depth -= 1;
  }
}

export function tooComplex(what: string): RecordTooComplexError {
  return new RecordTooComplexError(`the value is too complex: ${what}`);
}
