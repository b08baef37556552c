/** A process that is measured: it posts certificates to the receiver, or reads them. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
}
