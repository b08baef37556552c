import { existsSync } from 'node:fs';
import { stepText } from '../support/kafka/cluster/progress.ts';
import { startKafka, type RunningKafka } from '../support/kafka/cluster/start-kafka.ts';

/**
 * It collects garbage without standing still: the small heap of the tests stops a broker for 20 to 60 ms every ten seconds,
 * and every record that is under way then would be late for it. And its code is compiled as that of any broker is that runs
 * for long; the tests leave that out, as it takes longer than they do.
 */
const flags = ['-Xmx1g', '-XX:-UseSerialGC', '-XX:+UseZGC', '-XX:TieredStopAtLevel=4'];

/** Linux keeps these files in memory. */
const memory = '/dev/shm';

/**
 * A broker beside what is measured. Its data are kept in memory, where the system has a folder for that, if they are few and
 * latencies are measured: what is written to a disk waits while another file of it is flushed, for 20 to 50 ms.
 */
export async function startBroker(
  say: (line: string) => void,
  { data }: { readonly data: 'few' | 'many' },
): Promise<RunningKafka> {
  const folder = data === 'few' && existsSync(memory) ? memory : undefined;
  return startKafka({ flags, folder, progress: (step) => say(stepText[step]) });
}
