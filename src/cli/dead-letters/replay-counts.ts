import { CountsByName } from '../terminal/counts-by-name.ts';

/** What a replay came to, in dead letters. */
export class ReplayCounts {
  readonly #meant: number;
  replayedBefore = 0;
  /** A replay that was broken off had put them into the first tier already. */
  markedOnly = 0;
  replayed = 0;
  /** Of the replayed: at least one of their deliveries was in the first tier already. */
  repeated = 0;
  /** By the reason. */
  readonly notReplayed = new CountsByName();
  /** Deliveries, by configuration. */
  readonly deliveries = new CountsByName();

  constructor(meant: number) {
    this.#meant = meant;
  }

  lines(isDryRun: boolean): readonly string[] {
    const would = isDryRun ? 'to be ' : '';
    return [
      `dead letters meant: ${this.#meant}`,
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
