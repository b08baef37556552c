import { describeError } from '../demo/describe-error.ts';
import { listenForInterrupts } from '../demo/interrupts.ts';
import { runDev } from './dev.ts';

process.exit(await main());

/** Runs until Ctrl-C, which is the normal end: 0. Anything else is a failure: 1. */
async function main(): Promise<0 | 1> {
  const signal = listenForInterrupts();
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    const nodeFlags = process.argv.slice(2);
    return await runDev({ environment: process.env, nodeFlags, input: process.stdin, print, signal });
  } catch (error) {
    // An error while everything ends is worth more than the interrupt that led there.
    if (signal.aborted && !(error instanceof SuppressedError)) {
      print('Everything has ended.');
      return 0;
    }
    process.stderr.write(`${describeError(error)}\n`);
    return 1;
  }
}
