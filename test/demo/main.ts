import { lacksOfKafka } from '../support/kafka/cluster/kafka-lacks.ts';
import { runDemo } from './demo.ts';
import { describeError } from './describe-error.ts';
import { listenForInterrupts } from './interrupts.ts';
import { parseOptions, usage } from './options.ts';
import { Presenter } from './view/presenter.ts';
import { openScreen } from './view/screen.ts';

/** The exit code that shells use for a process ended by SIGINT. */
const interruptedCode = 130;

const options = parseOptions(process.argv.slice(2));
switch (options.kind) {
  case 'run':
    // Open connections of Kafka clients would keep the process running.
    process.exit(await run(options.keep));
  case 'help':
    process.stdout.write(`${usage}\n`);
    break;
  case 'mistaken':
    process.stderr.write(`${options.problem}\n\n${usage}\n`);
    process.exitCode = 2;
}

async function run(keep: boolean): Promise<number> {
  const signal = listenForInterrupts();
  const screen = openScreen(process.stdout, process.env);
  const isExternal = (process.env['KAFKA_BROKERS'] ?? '') !== '';
  try {
    const lacks = await lacksOfKafka();
    return await runDemo({
      keep,
      isExternal,
      lacks,
      presenter: new Presenter(screen, Date.now),
      now: Date.now,
      signal,
    });
  } catch (error) {
    // An error during the shutdown matters more than the interrupt that caused it.
    const isInterrupted = signal.aborted && !(error instanceof SuppressedError);
    process.stderr.write(isInterrupted ? 'Interrupted; everything has been stopped.\n' : `${describeError(error)}\n`);
    return isInterrupted ? interruptedCode : 1;
  }
}
