import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { endWithParent } from '../support/processes/end-with-parent.ts';
import { optionsInContainer } from './node-options.ts';
import type { Running } from './running-system.ts';

/** The processor that is for whatever is measured, where there is more than one; all else has the others. */
const measuredCpu = availableParallelism() - 1;
const canPin = measuredCpu > 0 && spawnSync('taskset', ['--version']).status === 0;

let isRoom = false;

/** Moves this process to the other processors, and so all that it starts from now on. */
export function makeRoom(): void {
  isRoom = canPin;
  if (isRoom)
    spawnSync('taskset', ['-a', '-cp', measuredCpu === 1 ? '0' : `0-${measuredCpu - 1}`, String(process.pid)]);
}

/** Starts a program of ours as a container starts the service, on the processor that is for what is measured, once room was made there. */
export function startPinned(
  program: string,
  parameters: readonly string[],
  options: SpawnOptions,
): { readonly child: ChildProcess; readonly running: Running } {
  const command = [process.execPath, ...optionsInContainer(), program, ...parameters];
  // It replaces itself by the program: the process is the same one.
  const pinned = isRoom ? ['taskset', '-c', String(measuredCpu), ...command] : command;
  // One that was left would take the processor from whatever is measured next.
  const [file = '', ...rest] = [...endWithParent(), ...pinned];
  const child = spawn(file, rest, options);
  const exit = once(child, 'exit');
  const dispose = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exit;
  };
  return { child, running: { pids: [child.pid ?? 0], [Symbol.asyncDispose]: dispose } };
}
