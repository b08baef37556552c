import { shuttingDown } from '../readiness.ts';
import type { Status } from './status.ts';
import { count, pluralized } from './wording.ts';

export interface HealthVerdict {
  readonly tone: 'good' | 'bad';
  readonly title: string;
  /** Whole sentences. */
  readonly findings: readonly string[];
}

/** Decides whether the instance is healthy. Failing endpoints are only counted: they do not make it unhealthy. */
export function verdictOf({
  missing,
  stalled,
  endpoints,
}: Pick<Status, 'missing' | 'stalled' | 'endpoints'>): HealthVerdict {
  const findings = [...stalled.map(sentence), ...missingOf(missing), ...failing(endpoints)];
  if (stalled.length > 0) return { tone: 'bad', title: 'Not alive', findings };
  if (missing.includes(shuttingDown)) return { tone: 'bad', title: 'Shutting down', findings };
  if (missing.length > 0) return { tone: 'bad', title: 'Not ready', findings: ['Alive.', ...findings] };
  return { tone: 'good', title: 'Ready', findings: ['Alive.', ...findings] };
}

function missingOf(missing: readonly string[]): readonly string[] {
  const conditions = missing.filter((condition) => condition !== shuttingDown);
  return conditions.length === 0 ? [] : [`Missing: ${conditions.join(', ')}.`];
}

function failing({ failing: { total }, circuits }: Status['endpoints']): readonly string[] {
  if (total === 0) return ['No endpoint fails.'];
  const all = circuits.closed + circuits.open + circuits.half_open;
  const open =
    circuits.open === 0
      ? ''
      : `, and ${pluralized(circuits.open, 'circuit')} ${circuits.open === 1 ? 'is' : 'are'} open`;
  return [`${count(total)} of ${pluralized(all, 'endpoint')} ${total === 1 ? 'fails' : 'fail'}${open}.`];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
