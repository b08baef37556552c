import type { Violation } from './checkers/violation.ts';
import type { Entry, RecordSubject } from './history.ts';
import { headerOf } from './environment/recording.ts';
import type { Run } from './run-scenario.ts';

/**
 * Describes a failed run: its violations, the command that reproduces it, and the events before the first violation.
 */
export function describeFailure(run: Run, violations: readonly Violation[]): string {
  const { seed, networkFaults, actions } = run.scenario;
  const processActions = actions.filter(
    ({ kind }) =>
      ![
        'certificate',
        'configuration',
        'open_transaction',
        'abort_transaction',
        'invalid_retry',
        'refill_configurations',
      ].includes(kind),
  );
  return [
    `Seed ${seed} violates ${[...new Set(violations.map(({ invariant }) => invariant))].join(', ')}:`,
    `To reproduce: SIMULATION_SEED=${seed} SIMULATION_RUNS=1 npm run test:simulation`,
    `Process actions: ${JSON.stringify(processActions)}`,
    `Network faults: ${JSON.stringify(networkFaults)}`,
    ...describeViolations(run, violations),
  ].join('\n');
}

/** Describes violations and the events before the first one. */
export function describeViolations(run: Run, violations: readonly Violation[]): readonly string[] {
  const [first] = violations;
  return [
    ...violations.slice(0, 10).map(({ invariant, problem, at }) => `  ${invariant} at ${at} ms: ${problem}`),
    'Events before the first violation:',
    ...(first === undefined ? [] : eventsBefore(run.entries, first)),
  ];
}

const maxEvents = 80;

/** Returns the events that name a record or delivery of the problem, and all state changes of processes. */
function eventsBefore(entries: readonly Entry[], { problem, at }: Violation): readonly string[] {
  const names = problem.match(/[\w.-]+\/\d+(?:\/\d+(?:\/[\w-]+)?)?/g) ?? [];
  return entries
    .filter((entry) => entry.at <= at)
    .map((entry) => ({ entry, text: textOf(entry) }))
    .filter(({ entry, text }) => entry.kind === 'instance' || names.some((name) => text.includes(name)))
    .slice(-maxEvents)
    .map(({ text }) => text);
}

function textOf(entry: Entry): string {
  const { at } = entry;
  const time = `${String(at).padStart(7)} ms`;
  switch (entry.kind) {
    case 'appended': {
      const { topic, partition, offset, key, headers } = entry.record;
      const subject = headerOf(headers, 'delivery-id') ?? String(key);
      return `${time}  ${topic}/${partition}/${offset} is appended: ${subject}`;
    }
    case 'committed':
      return `${time}  ${entry.topic}/${entry.partition}/${entry.offset} is committed by ${entry.groupId}`;
    case 'acknowledged':
      return `${time}  ${entry.instance} gets the acknowledgement of ${nameOf(entry.subject)} in ${entry.topic}`;
    case 'consumed':
    case 'abandoned':
      return `${time}  ${entry.instance} ${entry.kind} ${entry.topic}/${entry.partition}/${entry.offset}`;
    case 'settled':
      return `${time}  ${entry.instance} settled ${entry.topic}/${entry.partition}/${entry.offset}: ${entry.result}`;
    case 'sent':
      return `${time}  ${entry.instance} sends ${entry.deliveryId}`;
    case 'arrived':
      return `${time}  ${entry.deliveryId} arrives and is ${entry.isAccepted ? 'accepted' : 'not accepted'}`;
    case 'answered':
      return `${time}  ${entry.instance} gets the outcome of ${entry.deliveryId}: ${entry.outcome}`;
    case 'deferred':
      return `${time}  ${entry.instance} defers ${entry.deliveryId}: ${entry.reason}`;
    case 'reported': {
      const { type, deliveryId, attempt, what = '' } = entry.result;
      return `${time}  ${entry.instance}: ${type} ${deliveryId} attempt ${attempt} ${what}`;
    }
    case 'held':
      return `${time}  ${entry.instance} holds ${entry.count} records of the ${entry.pool} pool`;
    case 'dropped':
      return `${time}  the platform drops ${entry.webhookId}`;
    case 'instance':
      return `${time}  ${entry.instance} ${entry.change}`;
    case 'emitted':
      return `${time}  ${entry.instance}: ${entry.event} ${entry.detail}`;
  }
}

function nameOf({ deliveryId, source }: RecordSubject): string {
  return deliveryId ?? source;
}
