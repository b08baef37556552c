import { startPinned } from '../../pinned-process.ts';
import type { Running } from '../../running-system.ts';

/** What the process is started with, as JSON. */
export interface BareSetup {
  /** Each is connected to once, and then once more with the session of the first time. */
  readonly endpoints: number;
  /** Connections at once. */
  readonly inFlight: number;
  readonly authority: string;
  /** The URL of the first endpoint; the others differ in their address. */
  readonly url: string;
}

const program = new URL('resumption-alone-process.ts', import.meta.url).pathname;

/** The limit of sending to endpoints that are sent to now and then: a resumed handshake, a request, and nothing else. */
export function startBareResumption(setup: BareSetup): Running {
  return startPinned(program, [JSON.stringify(setup)], { stdio: ['ignore', 'ignore', 'inherit'] }).running;
}
