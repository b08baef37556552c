import type { Attempt } from '../scenario/attempt.ts';
import { span, type Line, type Span } from './line.ts';

/** Something that happened, in words. */
export interface Note {
  readonly line: Line;
  /** Where lines stay, only these are worth one: the rest goes the same way. */
  readonly isTelling: boolean;
}

/** One attempt in words. What goes well at once is no news: undefined. */
export function noteOf(attempt: Attempt, name: string): Line | undefined {
  if (attempt.settlement === 'done' && attempt.attempt === 1) return undefined;
  const about = `…${attempt.certificateId.slice(-4)}, attempt ${attempt.attempt}: `;
  return [span(`  ${name.padEnd(22)}`), span(`certificate ${about}`, 'faint'), came(attempt)];
}

function came({ outcome, status, settlement, tier }: Attempt): Span {
  const answer = status ?? outcome;
  switch (settlement) {
    case 'done':
      return span(`${answer}, delivered`, 'good');
    case 'dead':
      return span(`${answer}, dead letter`, 'bad');
    default:
      return span(`${answer}, again in ${tier}`, 'busy');
  }
}
