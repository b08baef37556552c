import { plainText, type Line } from './line.ts';
import { overviewSummary, type Overview } from './overview.ts';

const framesPerSummary = 20;

/** Selects the lines for a plain screen: new notes, and a summary every `framesPerSummary` frames. */
export class Ticker {
  #notes: number;
  #summary: string;

  /** Counts the notes that the overview already has as printed. */
  constructor(overview: Overview) {
    this.#notes = overview.notes.length;
    this.#summary = plainText(overviewSummary(overview));
  }

  nextLines(overview: Overview, frame: number): readonly Line[] {
    const notes = overview.notes.slice(this.#notes).filter(({ isNotable }) => isNotable);
    this.#notes = overview.notes.length;
    const summary = overviewSummary(overview);
    const isDue = frame % framesPerSummary === 0 && plainText(summary) !== this.#summary;
    if (isDue) this.#summary = plainText(summary);
    return [...notes.map(({ line }) => line), ...(isDue ? [summary] : [])];
  }
}
