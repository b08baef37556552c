import type { RequestOutcome } from '../../../deliveries/outcome.ts';

/** The judgement about one line of the table. `saw` says what the receiver did, or why the line was not played. */
export interface Verdict {
  readonly kind: 'ok' | 'fault' | 'skipped';
  readonly saw: string;
}

export function judge(outcomes: readonly RequestOutcome[], isGood: (outcome: RequestOutcome) => boolean): Verdict {
  return { kind: outcomes.every(isGood) ? 'ok' : 'fault', saw: describe(outcomes) };
}

export function isAccepted(outcome: RequestOutcome): boolean {
  return outcome.kind === 'delivered';
}

export function answers(...statuses: readonly number[]): (outcome: RequestOutcome) => boolean {
  return (outcome) => 'status' in outcome && statuses.includes(outcome.status);
}

/** Describes different outcomes once each, with their number if they are several. */
export function describe(outcomes: readonly RequestOutcome[]): string {
  const texts = Map.groupBy(outcomes, textOf);
  return [...texts].map(([text, { length }]) => (outcomes.length === 1 ? text : `${length} × ${text}`)).join(', ');
}

function textOf(outcome: RequestOutcome): string {
  if ('status' in outcome) return `answered ${outcome.status}`;
  return 'message' in outcome ? outcome.message : outcome.kind;
}
