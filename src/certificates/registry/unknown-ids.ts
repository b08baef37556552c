/** For so long an id that the registry does not know is asked for again: who writes may register a little later. */
const graceMs = 5 * 60_000;
/** For so long its verdict stands; then it is asked once more before the next record is given up. */
const verdictMs = 30_000;
/** Ids come out of records, and these may be anything. */
const maxIds = 1000;

/** What is known of ids that the registry does not know. */
export class UnknownIds {
  readonly #ids = new Map<number, { readonly since: number; readonly last: number }>();

  /** The registry said, now, that it does not know the id. */
  note(id: number, now: number): void {
    const { since, last } = this.#ids.get(id) ?? { since: now, last: now };
    this.#ids.delete(id);
    // Nobody has asked for as long as would have been asked: that was another time.
    this.#ids.set(id, { since: now - last > graceMs ? now : since, last: now });
    const [oldest] = this.#ids.keys();
    if (this.#ids.size > maxIds && oldest !== undefined) this.#ids.delete(oldest);
  }

  /** The registry has been asked for long enough, and just now. */
  isGivenUp(id: number, now: number): boolean {
    const noted = this.#ids.get(id);
    return noted !== undefined && now - noted.last < verdictMs && noted.last - noted.since >= graceMs;
  }

  /** The registry knows it after all. */
  forget(id: number): void {
    this.#ids.delete(id);
  }
}
