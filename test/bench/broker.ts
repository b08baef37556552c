import { existsSync } from 'node:fs';
import { stepText } from '../support/kafka/cluster/progress.ts';
import { startKafka, type RunningKafka } from '../support/kafka/cluster/start-kafka.ts';

/**
 * Flags of the broker's JVM. The small heap of the tests pauses a broker for 20 to 60 ms every ten seconds. Such a pause
 * delays every record in flight, so the benchmarks use ZGC. All compilers are on, as in a broker in production. The tests
 * leave the optimizing compiler out, because it needs more time than a test.
 */
const flags = ['-Xmx1g', '-XX:-UseSerialGC', '-XX:+UseZGC', '-XX:TieredStopAtLevel=4'];

/** Linux keeps the files of this folder in memory. */
const memoryFolder = '/dev/shm';

/**
 * Starts a broker beside the measured system. Small data are kept in memory, if the system has a folder for that. A write
 * to a disk waits 20 to 50 ms while another file is flushed.
 */
export async function startBroker(
  print: (line: string) => void,
  { data }: { readonly data: 'small' | 'large' },
): Promise<RunningKafka> {
  const folder = data === 'small' && existsSync(memoryFolder) ? memoryFolder : undefined;
  return startKafka({ flags, folder, progress: (step) => print(stepText[step]) });
}
