import type { Running } from '../../running-system.ts';
import type { Stage } from '../environment.ts';
import { startProfile } from './inspector.ts';

/** Profiles a process until it is disposed of, where the stage asks for that. */
export async function profiling({ profiled }: Stage, { inspectorPort }: Running): Promise<AsyncDisposable> {
  if (profiled === undefined || inspectorPort === undefined) return { [Symbol.asyncDispose]: async () => undefined };
  const end = await startProfile(inspectorPort);
  return { [Symbol.asyncDispose]: async () => profiled(await end()) };
}
