import type { Evidence } from '../scenario/observations.ts';
import type { Journal } from '../scenario/service-log.ts';
import { checkAttempts } from './attempts.ts';
import { expectEqual, type Check } from './check.ts';
import { checkLog } from './log.ts';
import { checkMetrics } from './metrics.ts';
import { checkRequests } from './requests.ts';
import { checkTopics } from './topics.ts';

/** Checks that belong together, under what they are about. */
export interface CheckGroup {
  readonly title: string;
  readonly checks: readonly Check[];
}

export function judge(evidence: Evidence): readonly CheckGroup[] {
  return [
    { title: 'On the wire', checks: checkRequests(evidence) },
    { title: 'Retries', checks: checkAttempts(evidence) },
    { title: 'In Kafka', checks: checkTopics(evidence) },
    { title: 'Metrics', checks: checkMetrics(evidence) },
    { title: 'Log', checks: checkLog(evidence) },
  ];
}

/** What SIGTERM came to. */
export function judgeEnd(exitCode: number | null, { lines }: Pick<Journal, 'lines'>): CheckGroup {
  const stopped = lines.filter(({ event }) => event === 'service.stopped').map((line) => line['drained']);
  return {
    title: 'At the end',
    checks: [
      expectEqual(
        'SIGTERM: the service drains and ends with 0',
        { exitCode: 0, drained: [true] },
        { exitCode, drained: stopped },
      ),
    ],
  };
}

export function failuresIn(groups: readonly CheckGroup[]): number {
  return groups.flatMap(({ checks }) => checks).filter(({ verdict }) => verdict.kind === 'failed').length;
}
