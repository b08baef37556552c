/** Runs callbacks in the next turn of the event loop. One immediate for each would take 0.5 KB of every delivery. */
export class NextTurn {
  #waiting: (() => void)[] = [];
  readonly #run = (): void => {
    const due = this.#waiting;
    this.#waiting = [];
    for (const run of due) run();
  };

  add(run: () => void): void {
    if (this.#waiting.push(run) === 1) setImmediate(this.#run);
  }
}
