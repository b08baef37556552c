import { startPinned } from '../../pinned-process.ts';
import type { RunningSystem } from '../../running-system.ts';

/** The parameters of the process, as JSON. */
export interface ResumptionSetup {
  readonly endpoints: number;
  /** Connections at a time. */
  readonly inFlight: number;
  readonly authority: string;
  /** The URL of the first endpoint. The others differ in their address. */
  readonly url: string;
}

const program = new URL('resumption-alone-process.ts', import.meta.url).pathname;

/** Starts the limit for a new connection per delivery: a resumed handshake, a request, and nothing else. */
export function startResumptionAlone(setup: ResumptionSetup): RunningSystem {
  return startPinned(program, [JSON.stringify(setup)], { stdio: ['ignore', 'ignore', 'inherit'] }).system;
}
