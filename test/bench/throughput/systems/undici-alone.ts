import type { Crowd } from '../certificates.ts';
import type { Subscribers } from '../subscribers.ts';
import type { Running } from '../../running-system.ts';
import { startPinned } from '../../pinned-process.ts';

/** What the process is started with, as JSON. */
export interface UndiciSetup {
  readonly crowd: Crowd;
  readonly subscribers: Subscribers;
  /** Requests at once. */
  readonly inFlight: number;
  readonly authority: string;
  /** The URL of the first endpoint; the others differ in their address. */
  readonly url: string;
}

const program = new URL('undici-alone-process.ts', import.meta.url).pathname;

/** The limit of sending: undici posts the same bodies from memory to the same endpoints, and does nothing else. */
export function startUndiciAlone(setup: UndiciSetup): Running {
  return startPinned(program, [JSON.stringify(setup)], { stdio: ['ignore', 'ignore', 'inherit'] }).running;
}
