import type { Figures } from './figures.ts';
import { runSituation } from './run-situation.ts';
import type { Situation } from './situation.ts';

/** Runs each situation without trouble once. Several scenarios share one. */
export class Baselines {
  readonly #figures = new Map<Situation, Promise<Figures>>();

  of(situation: Situation): Promise<Figures> {
    const existing = this.#figures.get(situation);
    if (existing !== undefined) return existing;
    const figures = runSituation(situation);
    this.#figures.set(situation, figures);
    return figures;
  }
}
