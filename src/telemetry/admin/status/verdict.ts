import { shuttingDown } from '../readiness.ts';
import type { Status } from './status.ts';
import { count, counted } from './wording.ts';

/** The answer to "Is it well?". */
export interface Verdict {
  readonly tone: 'good' | 'bad';
  readonly title: string;
  /** Whole sentences. */
  readonly findings: readonly string[];
}

/** Endpoints that fail are their subscribers' trouble: the instance is well all the same, and says how many they are. */
export function verdictOf({ missing, silent, endpoints }: Pick<Status, 'missing' | 'silent' | 'endpoints'>): Verdict {
  const findings = [...silent.map(sentence), ...missingOf(missing), ...failing(endpoints)];
  if (silent.length > 0) return { tone: 'bad', title: 'Not alive', findings };
  if (missing.includes(shuttingDown)) return { tone: 'bad', title: 'Shutting down', findings };
  if (missing.length > 0) return { tone: 'bad', title: 'Not ready', findings: ['Alive.', ...findings] };
  return { tone: 'good', title: 'Ready', findings: ['Alive.', ...findings] };
}

function missingOf(missing: readonly string[]): readonly string[] {
  const lacking = missing.filter((what) => what !== shuttingDown);
  return lacking.length === 0 ? [] : [`Missing: ${lacking.join(', ')}.`];
}

function failing({ failing: { total }, circuits }: Status['endpoints']): readonly string[] {
  if (total === 0) return ['No endpoint fails.'];
  const all = circuits.closed + circuits.open + circuits.half_open;
  const open = circuits.open === 0 ? '' : `, and ${counted(circuits.open, 'circuit')} ${is(circuits.open)} open`;
  return [`${count(total)} of ${counted(all, 'endpoint')} ${total === 1 ? 'fails' : 'fail'}${open}.`];
}

function is(number: number): string {
  return number === 1 ? 'is' : 'are';
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
