import { stepText } from '../support/kafka/cluster/progress.ts';
import { startKafka, type RunningKafka } from '../support/kafka/cluster/start-kafka.ts';

/**
 * Flags of the broker's JVM. The small heap of the tests pauses a broker for 20 to 60 ms every ten seconds. Such a pause
 * delays every record in flight, so the benchmarks use ZGC. All compilers are on, as in a broker in production. The tests
 * leave the optimizing compiler out, because it needs more time than a test.
 */
const flags = ['-Xmx1g', '-XX:-UseSerialGC', '-XX:+UseZGC', '-XX:TieredStopAtLevel=4'];

/** Starts a broker beside the measured system. */
export async function startBroker(print: (line: string) => void): Promise<RunningKafka> {
  return startKafka({ flags, progress: (step) => print(stepText[step]) });
}
