import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import type { AssignmentContext, RecordContext } from '../../../src/pipeline/ports.ts';

/** Builds the context of a record of that assignment. Adds the calls of its methods to `calls`. */
export function aRecordContext(assignment: AssignmentContext = new Assignment({}), calls?: string[]): RecordContext {
  return {
    get revoked() {
      return assignment.revoked;
    },
    stillOwned: () => assignment.stillOwned(),
    expectDeliveries: (deliveries) => void calls?.push(`${deliveries} deliveries`),
    markWaiting: () => void calls?.push('waiting'),
    markActive: () => void calls?.push('active'),
  };
}
