import { stepText } from '../support/kafka/progress.ts';
import { startKafka, type RunningKafka } from '../support/kafka/start-kafka.ts';

/**
 * It collects garbage without standing still: the small heap of the tests stops a broker for 20 to 60 ms every ten seconds,
 * and every record that is under way then would be late for it.
 */
const flags = ['-Xmx1g', '-XX:-UseSerialGC', '-XX:+UseZGC'];

/** A broker beside what is measured. */
export async function startBroker(say: (line: string) => void): Promise<RunningKafka> {
  return startKafka({ flags, progress: (step) => say(stepText[step]) });
}
