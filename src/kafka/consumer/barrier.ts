import type { MonotonicClock } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';
import type { Admission, Intake } from './admission.ts';
import type { BarrierGraces } from './consumer-settings.ts';
import type { OffsetCommitter } from './offset-committer.ts';

interface BarrierOptions extends BarrierGraces {
  readonly admission: Pick<Admission, 'assignment' | 'inFlight'>;
  readonly intake: Pick<Intake, 'drain' | 'abort'>;
  readonly committer: Pick<OffsetCommitter, 'commitLast'>;
  readonly clock: MonotonicClock;
}

/**
 * Revokes the assignment once none of its records is in flight and everything settled is committed. The caller has
 * stopped reading. Resolves to false if records are still in flight after the grace periods.
 */
export async function passBarrier(options: BarrierOptions): Promise<boolean> {
  const { intake, committer, clock, requestsMs, handoverMs } = options;
  const { inFlight, assignment } = options.admission;
  assignment.prepareToRevoke();
  intake.drain();
  if (!(await within(clock, requestsMs, inFlight.wait()))) intake.abort();
  const drained = await within(clock, handoverMs, inFlight.wait());
  await within(clock, handoverMs, committer.commitLast());
  assignment.revoke();
  return drained;
}
