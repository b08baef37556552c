import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { readText } from '../support/files/sources.ts';
import { endWithParent } from '../support/processes/end-with-parent.ts';
import { findFreePorts } from '../support/kafka/cluster/ports.ts';

/** A process under measurement, which delivers certificates or reads them. */
export interface RunningSystem extends AsyncDisposable {
  readonly pid: number;
  /** Loopback port of V8's inspector, if the process was started with one. */
  readonly inspectorPort: number | undefined;
}

/** The last processor belongs to the measured system, if there are several. Everything else runs on the others. */
const measuredCpu = availableParallelism() - 1;
const canPin = measuredCpu > 0 && spawnSync('taskset', ['--version']).status === 0;

let isReserved = false;
let inspectorPort: number | undefined;

/** Moves this process, and all that it starts from now on, away from the processor of the measured system. */
export function reserveMeasuredCpu(): void {
  isReserved = canPin;
  if (isReserved)
    spawnSync('taskset', ['-a', '-cp', measuredCpu === 1 ? '0' : `0-${measuredCpu - 1}`, String(process.pid)]);
}

/** Opens V8's inspector in each program that is started from now on, or no longer. Only one of them may run at a time. */
export async function inspectPinned(isOpen: boolean): Promise<void> {
  inspectorPort = isOpen ? await findFreePorts(1) : undefined;
}

/** Starts a program with the Node.js options of a container, on the reserved processor if there is one. */
export function startPinned(
  program: string,
  parameters: readonly string[],
  options: SpawnOptions,
): { readonly child: ChildProcess; readonly system: RunningSystem } {
  const inspect = inspectorPort === undefined ? [] : [`--inspect=127.0.0.1:${inspectorPort}`];
  const command = [process.execPath, ...optionsOfImage(), ...inspect, program, ...parameters];
  // `taskset` replaces itself by the program, so the process id stays the same.
  const pinned = isReserved ? ['taskset', '-c', String(measuredCpu), ...command] : command;
  // A process that outlives this one would take CPU from the next measurement.
  const [file = '', ...words] = [...endWithParent(), ...pinned];
  const child = spawn(file, words, options);
  const exit = once(child, 'exit');
  const dispose = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exit;
  };
  return { child, system: { pid: child.pid ?? 0, inspectorPort, [Symbol.asyncDispose]: dispose } };
}

/** Reads from the Dockerfile which options Node.js has in the image. */
function optionsOfImage(): readonly string[] {
  const dockerfile = readText('Dockerfile');
  const entrypoint = /^ENTRYPOINT \["[^"]+\/node"(?<options>(?:, "--[^"]+")*), "[^"]+\.ts"\]$/m.exec(dockerfile);
  if (entrypoint === null) throw new Error('The Dockerfile does not run Node.js.');
  return entrypoint.groups?.['options']?.match(/--[^"]+/g) ?? [];
}
