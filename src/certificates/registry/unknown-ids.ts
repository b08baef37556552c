/** An unknown id is requested again for this long, because producers may register their schema a little later. */
const graceMs = 5 * 60_000;
/** An id that was given up stays so for this long. Then the registry is asked once more. */
const givenUpMs = 30_000;
/** Bounds the memory, because the ids come from records and may be arbitrary. */
const maxIds = 1000;

/** Remembers ids that the registry does not know. */
export class UnknownIds {
  readonly #ids = new Map<number, { readonly since: number; readonly last: number }>();

  /** Remembers that the registry did not know the id at `now`. */
  add(id: number, now: number): void {
    const { since, last } = this.#ids.get(id) ?? { since: now, last: now };
    this.#ids.delete(id);
    // After a gap longer than the grace, the grace starts again.
    this.#ids.set(id, { since: now - last > graceMs ? now : since, last: now });
    const [oldest] = this.#ids.keys();
    if (this.#ids.size > maxIds && oldest !== undefined) this.#ids.delete(oldest);
  }

  /** Returns true when the registry was asked for the whole grace, the last time less than 30 s ago. */
  isGivenUp(id: number, now: number): boolean {
    const known = this.#ids.get(id);
    return known !== undefined && now - known.last < givenUpMs && known.last - known.since >= graceMs;
  }

  /** Forgets an id that the registry knows now. */
  forget(id: number): void {
    this.#ids.delete(id);
  }
}
