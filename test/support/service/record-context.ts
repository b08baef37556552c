import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import type { AssignmentLife, RecordLife } from '../../../src/pipeline/ports.ts';

/** A record of that assignment. What it is told of how much there is to do for it stands in the list, if there is one. */
export function aRecordContext(assignment: AssignmentLife = new Assignment({}), told?: string[]): RecordLife {
  return {
    get isOver() {
      return assignment.isOver;
    },
    isConfirmed: () => assignment.isConfirmed(),
    becomes: (deliveries) => void told?.push(`becomes ${deliveries}`),
    setAside: () => void told?.push('set aside'),
    takeUp: () => void told?.push('taken up'),
  };
}
