import type { RecordAnswer } from '../../../src/cli/explain/answers.ts';
import { explain } from '../../../src/cli/explain/explain.ts';
import type { Environment } from '../../../src/settings.ts';
import { withTools } from '../../cli/with-tools.ts';

const everything = { ownerId: undefined, mayBeIn: () => true, isIn: () => true, isId: () => true };
const most = { records: Number.POSITIVE_INFINITY, events: Number.POSITIVE_INFINITY };

/** Returns the answers of `explain` for all certificates. One run that looks for all of them reads each topic once. */
export async function explainAll(environment: Environment): Promise<readonly RecordAnswer[]> {
  return withTools(environment, async (tools, signal) => {
    const { answers } = await explain(tools, { wanted: everything, sinceMs: undefined, signal, most });
    return answers;
  });
}
