import type { Problem } from './problem.ts';
import type { Settings } from './sections.ts';

interface Unavailable {
  readonly variable: string;
  /** Whether the settings ask for it. */
  readonly isAsked: (settings: Settings) => boolean;
  readonly instead: string;
}

/**
 * What the settings know and this version can't do yet. It is refused rather than left without effect.
 */
export const unavailable: readonly Unavailable[] = [
  {
    variable: 'HANDOFF_COMPRESSION',
    isAsked: ({ handoff }) => handoff.compression !== 'none' && handoff.compression !== 'gzip',
    instead: '`none` or `gzip`: this version can write no other',
  },
];

/** Those that the settings ask for, as problems. */
export function unavailableProblems(settings: Settings): readonly Problem[] {
  return unavailable
    .filter(({ isAsked }) => isAsked(settings))
    .map(({ variable, instead }) => ({ variable, given: 'set', expected: instead }));
}
