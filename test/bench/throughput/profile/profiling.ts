import type { RunningSystem } from '../../running-system.ts';
import type { BenchEnvironment } from '../environment.ts';
import { startProfile } from './inspector.ts';

/** Profiles a system until disposal, if the environment wants a profile. */
export async function profiling(
  { onProfile }: BenchEnvironment,
  { inspectorPort }: RunningSystem,
): Promise<AsyncDisposable> {
  if (onProfile === undefined || inspectorPort === undefined) return { [Symbol.asyncDispose]: async () => undefined };
  const stop = await startProfile(inspectorPort);
  return { [Symbol.asyncDispose]: async () => onProfile(await stop()) };
}
