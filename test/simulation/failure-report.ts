import type { Violation } from './checkers/violation.ts';
import type { Entry } from './history.ts';
import type { Run } from './run-scenario.ts';

/** What a failure prints: what is wrong, how to see it again, and what led to it. */
export function describeFailure(run: Run, violations: readonly Violation[]): string {
  const { seed, networkFaults, actions } = run.scenario;
  const [first] = violations;
  const processActions = actions.filter(({ kind }) => !['certificate', 'configuration', 'gap', 'stray'].includes(kind));
  return [
    `Seed ${seed} violates ${[...new Set(violations.map(({ invariant }) => invariant))].join(', ')}:`,
    ...violations.slice(0, 10).map(({ invariant, problem, at }) => `  ${invariant} at ${at} ms: ${problem}`),
    `To see it again: SIMULATION_SEED=${seed} SIMULATION_RUNS=1 npm run test:simulation`,
    `Accidents: ${JSON.stringify(processActions)}`,
    `Troubles: ${JSON.stringify(networkFaults)}`,
    'What led to it:',
    ...(first === undefined ? [] : leadingTo(run.entries, first)),
  ].join('\n');
}

const longestStory = 80;

/** What is told of the records and deliveries that the problem names, and what happened to the processes. */
function leadingTo(entries: readonly Entry[], { problem, at }: Violation): readonly string[] {
  const names = problem.match(/[\w.-]+\/\d+(?:\/\d+(?:\/[\w-]+)?)?/g) ?? [];
  return entries
    .filter((entry) => entry.at <= at)
    .map((entry) => ({ entry, line: lineOf(entry) }))
    .filter(({ entry, line }) => entry.kind === 'instance' || names.some((name) => line.includes(name)))
    .slice(-longestStory)
    .map(({ line }) => line);
}

function lineOf(entry: Entry): string {
  const { at } = entry;
  const time = `${String(at).padStart(7)} ms`;
  switch (entry.kind) {
    case 'appended': {
      const { topic, partition, offset, key, headers } = entry.record;
      const subject = headers['delivery-id'] ?? String(key);
      return `${time}  ${topic}/${partition}/${offset} is written: ${String(subject)}`;
    }
    case 'committed':
      return `${time}  ${entry.topic}/${entry.partition}/${entry.offset} is committed by ${entry.groupId}`;
    case 'acknowledged':
      return `${time}  ${entry.instance} knows of ${entry.subject.deliveryId ?? entry.subject.source} in ${entry.topic}`;
    case 'consumed':
    case 'abandoned':
      return `${time}  ${entry.instance} ${entry.kind} ${entry.topic}/${entry.partition}/${entry.offset}`;
    case 'settled':
      return `${time}  ${entry.instance} settled ${entry.topic}/${entry.partition}/${entry.offset}: ${entry.result}`;
    case 'arrived':
      return `${time}  ${entry.deliveryId} arrives, ${entry.isAccepted ? 'and is taken' : 'and is not taken'}`;
    case 'answered':
      return `${time}  ${entry.instance} hears of ${entry.deliveryId}: ${entry.outcome}`;
    case 'deferred':
      return `${time}  ${entry.instance} puts ${entry.deliveryId} off: ${entry.reason}`;
    case 'held':
      return `${time}  ${entry.instance} holds ${entry.count} ${entry.what}`;
    case 'instance':
      return `${time}  ${entry.instance} ${entry.did}`;
    case 'emitted':
      return `${time}  ${entry.instance}: ${entry.event} ${entry.detail}`;
  }
}
