import type { RunningSystem } from '../running-system.ts';

/** Looks into the measured process during the measured part of a run. */
export interface Observer {
  /** Begins to observe, and returns a function that ends it. */
  begin(process: ObservedProcess): Promise<() => Promise<void>>;
}

export interface ObservedProcess {
  readonly pid: number;
  readonly inspectorPort: number;
  /** Addresses of the Kafka brokers. */
  readonly brokers: readonly string[];
  /** The deliveries of the measured part, its records if nothing is delivered, or its seconds if nothing happens. */
  readonly units: number;
}

/** Observes a system until disposal, if there is an observer. */
export async function observing(
  { observer, brokers }: { readonly observer: Observer | undefined; readonly brokers: readonly string[] },
  { inspectorPort, pids: [pid] }: RunningSystem,
  units: number,
): Promise<AsyncDisposable> {
  if (observer === undefined || inspectorPort === undefined || pid === undefined)
    return { [Symbol.asyncDispose]: async () => undefined };
  const end = await observer.begin({ pid, inspectorPort, brokers, units });
  return { [Symbol.asyncDispose]: end };
}
