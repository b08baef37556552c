/** What is measured, one process or several: it posts certificates to the receiver, or reads them. */
export interface Running extends AsyncDisposable {
  readonly pids: readonly number[];
  /** On the loopback, where it was started to be looked into. */
  readonly inspectorPort?: number;
}
