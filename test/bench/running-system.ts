/** A system under measurement: one or several processes that deliver certificates, or read them. */
export interface RunningSystem extends AsyncDisposable {
  readonly pids: readonly number[];
  /** Loopback port of V8's inspector, if the process was started with one. */
  readonly inspectorPort?: number;
}
