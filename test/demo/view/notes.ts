import type { Attempt } from '../scenario/attempt.ts';
import { span, type Line, type Span } from './line.ts';

/** Describes an attempt. Returns undefined for a first attempt that succeeds. */
export function noteOf(attempt: Attempt, name: string): Line | undefined {
  if (attempt.settlement === 'done' && attempt.attempt === 1) return undefined;
  const about = `…${attempt.certificateId.slice(-4)}, attempt ${attempt.attempt}: `;
  return [span(`  ${name.padEnd(22)}`), span(`certificate ${about}`, 'faint'), resultSpan(attempt)];
}

function resultSpan({ outcome, status, settlement, tier }: Attempt): Span {
  const answer = status ?? outcome;
  switch (settlement) {
    case 'done':
      return span(`${answer}, delivered`, 'good');
    case 'dead':
      return span(`${answer}, dead letter`, 'bad');
    default:
      return span(`${answer}, retry in ${tier}`, 'busy');
  }
}
