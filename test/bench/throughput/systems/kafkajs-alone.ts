import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { startPinned } from '../../pinned-process.ts';
import type { Running } from '../../running-system.ts';

/** What the process is started with, as JSON. */
export interface KafkajsSetup {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly groupId: string;
  /** It tells when it has read so many records. */
  readonly milestones: readonly number[];
}

/** Milliseconds of the machine's own clock. */
export interface RecordsRead {
  readonly records: number;
  readonly at: number;
}

export interface RunningReader extends Running {
  /** The next milestone. */
  reached(): Promise<RecordsRead>;
}

const program = new URL('kafkajs-alone-process.ts', import.meta.url).pathname;

/** The limit of reading: kafkajs as it comes reads the same topic, and does nothing else. */
export function startKafkajsAlone(setup: KafkajsSetup): RunningReader {
  const { child, running } = startPinned(program, [JSON.stringify(setup)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return { ...running, reached: () => nextMessage(child) };
}

async function nextMessage(child: ChildProcess): Promise<RecordsRead> {
  const [message] = (await once(child, 'message')) as [RecordsRead];
  return message;
}
