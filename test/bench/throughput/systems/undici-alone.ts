import { startPinned } from '../../pinned-process.ts';
import type { RunningSystem } from '../../running-system.ts';
import type { CertificateSet } from '../certificates.ts';
import type { Subscribers } from '../subscribers.ts';

/** The parameters of the process, as JSON. */
export interface UndiciSetup {
  readonly certificates: CertificateSet;
  readonly subscribers: Subscribers;
  /** Requests at a time. */
  readonly inFlight: number;
  readonly authority: string;
  /** The URL of the first endpoint. The others differ in their address. */
  readonly url: string;
}

const program = new URL('undici-alone-process.ts', import.meta.url).pathname;

/** Starts the limit of sending: undici posts the same bodies from memory to the same endpoints, and does nothing else. */
export function startUndiciAlone(setup: UndiciSetup): RunningSystem {
  return startPinned(program, [JSON.stringify(setup)], { stdio: ['ignore', 'ignore', 'inherit'] }).system;
}
