/**
 * Reads all topics bare and searches them with `explain`, in turn, and prints the times of each. `explain-time.test.ts` starts it with
 * the flags of commands. A scan collects garbage again and again, which takes longer in the heap of a test than in a command.
 */
import { wantedCertificate } from '../../src/cli/explain/certificate-records.ts';
import { explain } from '../../src/cli/explain/explain.ts';
import { readTopics } from '../../src/cli/read-topics.ts';
import { openTiers } from '../../src/cli/tiers.ts';
import { wantedTopics } from '../../src/service/configured-topics.ts';
import { withTools } from '../cli/with-tools.ts';

const [certificateId = '', pairs = '1'] = process.argv.slice(2);

await withTools(process.env, async (tools, signal) => {
  const { certificates, deadLetters, results } = wantedTopics(tools.settings);
  const tiers = (await openTiers(tools)).map(({ scan }) => scan);
  const names = [...certificates, deadLetters, ...(results === undefined ? [] : [results])];
  const scans = [...(await Promise.all(names.map((name) => tools.scan(name)))), ...tiers];
  const wanted = wantedCertificate(certificateId, undefined);
  for (let pair = 0; pair < Number(pairs); pair += 1) {
    const bare = await timesOf(async () => {
      let records = 0;
      const take = (): void => void (records += 1);
      await readTopics(
        'reading',
        scans.map((scan) => ({ scan, take })),
        tools.screen,
      );
      return records;
    });
    const search = await timesOf(async () => {
      const { answers } = await explain(tools, { wanted, sinceMs: undefined, signal });
      return answers.length;
    });
    process.stdout.write(`${JSON.stringify({ bare, search })}\n`);
  }
  return true;
});

/** Processor time is that of this process alone, whatever else the machine does. `found` is what `run` resolves to. */
async function timesOf(run: () => Promise<number>): Promise<Times> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  const found = await run();
  const { user, system } = process.cpuUsage(before);
  return { found, ms: Math.round(performance.now() - startedAt), processorMs: Math.round((user + system) / 1000) };
}

export interface Times {
  readonly found: number;
  readonly ms: number;
  readonly processorMs: number;
}
