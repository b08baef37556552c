import type { Observations } from '../scenario/observations.ts';
import type { ServiceLog } from '../scenario/service-log.ts';
import { checkAttempts } from './attempts.ts';
import { expectEqual, type Check } from './check.ts';
import { checkLog, checkMetrics } from './log.ts';
import { checkRequests } from './requests.ts';
import { checkTopics } from './topics.ts';

/** Checks of one subject. */
export interface CheckGroup {
  readonly title: string;
  readonly checks: readonly Check[];
}

export function runChecks(observations: Observations): readonly CheckGroup[] {
  return [
    { title: 'On the wire', checks: checkRequests(observations) },
    { title: 'Retries', checks: checkAttempts(observations) },
    { title: 'In Kafka', checks: checkTopics(observations) },
    { title: 'Metrics', checks: checkMetrics(observations) },
    { title: 'Log', checks: checkLog(observations) },
  ];
}

/** Checks how the service ended after SIGTERM. */
export function checkShutdown(exitCode: number | null, { lines }: Pick<ServiceLog, 'lines'>): CheckGroup {
  const stopped = lines.filter(({ event }) => event === 'service.stopped').map((line) => line['drained']);
  return {
    title: 'Shutdown',
    checks: [
      expectEqual(
        'SIGTERM: the service drains and exits with code 0',
        { exitCode: 0, drained: [true] },
        { exitCode, drained: stopped },
      ),
    ],
  };
}
