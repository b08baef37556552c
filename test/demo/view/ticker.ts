import { plainText, type Line } from './line.ts';
import { sceneSummary, type Scene } from './overview.ts';

const framesPerSummary = 20;

/** For where lines stay: what is new since the last frame, and now and then how far everything is. */
export class Ticker {
  #notes: number;
  #summary: string;

  /** What the scene has at first is told already. */
  constructor(scene: Scene) {
    this.#notes = scene.notes.length;
    this.#summary = plainText(sceneSummary(scene));
  }

  news(scene: Scene, frame: number): readonly Line[] {
    const notes = scene.notes.slice(this.#notes).filter(({ isTelling }) => isTelling);
    this.#notes = scene.notes.length;
    const summary = sceneSummary(scene);
    const isDue = frame % framesPerSummary === 0 && plainText(summary) !== this.#summary;
    if (isDue) this.#summary = plainText(summary);
    return [...notes.map(({ line }) => line), ...(isDue ? [summary] : [])];
  }
}
