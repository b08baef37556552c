import type { Figures } from '../figures.ts';
import type { Situation } from '../situation.ts';

/** A situation with a trouble and the same one without it, and bounds on how much they may differ. */
export interface IsolationScenario {
  readonly name: string;
  readonly without: Situation;
  readonly trouble: Situation;
  readonly bounds: readonly Bound[];
}

/** The figures of one scenario. */
export interface ComparedFigures {
  readonly without: Figures;
  readonly trouble: Figures;
}

/** A promise about the figures. */
export interface Bound {
  /** The title of its test. */
  readonly title: string;
  /** Returns how the figures break the promise; undefined if they keep it. */
  readonly violation: (figures: ComparedFigures) => string | undefined;
}
