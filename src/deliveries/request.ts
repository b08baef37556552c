/** The parts of a request that stay the same for one version of a webhook. Holds credentials: it is never logged. */
export interface RequestHead {
  /** `https://host` or `https://host:port`, as the WHATWG URL parser writes it. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** Names and values in turn, without `Host`, `Connection` and `Content-Length`, which the client adds. */
  readonly headers: readonly string[];
}
