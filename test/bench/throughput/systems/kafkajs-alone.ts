import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { startPinned } from '../../pinned-process.ts';
import type { RunningSystem } from '../../running-system.ts';

/** The parameters of the process, as JSON. */
export interface KafkajsSetup {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly groupId: string;
  /** Numbers of records after which the process sends a message. */
  readonly milestones: readonly number[];
}

/** The message of the process at a milestone. */
export interface RecordsRead {
  readonly records: number;
  /** The time, as `machineTimeMs`. */
  readonly at: number;
}

interface RunningReader extends RunningSystem {
  nextMilestone(): Promise<RecordsRead>;
}

const program = new URL('kafkajs-alone-process.ts', import.meta.url).pathname;

/** Starts the limit of reading: kafkajs without changes reads the same topic, and does nothing else. */
export function startKafkajsAlone(setup: KafkajsSetup): RunningReader {
  const { child, system } = startPinned(program, [JSON.stringify(setup)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return { ...system, nextMilestone: () => nextMessage(child) };
}

async function nextMessage(child: ChildProcess): Promise<RecordsRead> {
  const [message] = (await once(child, 'message')) as [RecordsRead];
  return message;
}
