import { CountsByName } from '../terminal/counts-by-name.ts';

/** Counts what a replay did, in dead letters unless a field says otherwise. */
export class ReplayCounts {
  readonly #selected: number;
  replayedBefore = 0;
  /** Dead letters that were only marked: an interrupted replay had put them into the first tier already. */
  markedOnly = 0;
  replayed = 0;
  /** The part of `replayed` with at least one delivery that was in the first tier already. */
  repeated = 0;
  readonly notReplayed = new CountsByName();
  readonly deliveries = new CountsByName();

  constructor(selected: number) {
    this.#selected = selected;
  }

  lines(isDryRun: boolean): readonly string[] {
    const would = isDryRun ? 'to be ' : '';
    return [
      `dead letters meant: ${this.#selected}`,
      `replayed before: ${this.replayedBefore}`,
      `already in the first tier, ${would}marked now: ${this.markedOnly}`,
      `${would}replayed: ${this.replayed}`,
      ...(this.repeated === 0 ? [] : [`  of these may come twice: ${this.repeated}`]),
      `deliveries: ${this.deliveries.total}`,
      ...this.deliveries.lines(),
      `not replayed: ${this.notReplayed.total}`,
      ...this.notReplayed.lines(),
    ];
  }
}
