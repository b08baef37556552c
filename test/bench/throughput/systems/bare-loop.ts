import { startPinned } from '../../pinned-process.ts';
import type { RunningSystem } from '../../running-system.ts';

/** The parameters of the process, as JSON. */
export interface BareLoopSetup {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly groupId: string;
  /** Requests at a time. */
  readonly inFlight: number;
  readonly authority: string;
  /** The URLs of the endpoints. Owners take turns. */
  readonly urls: readonly string[];
}

const program = new URL('bare-loop-process.ts', import.meta.url).pathname;

/** Starts what a first version of this service would be: a loop that reads, posts and commits. */
export function startBareLoop(setup: BareLoopSetup): RunningSystem {
  return startPinned(program, [JSON.stringify(setup)], { stdio: ['ignore', 'ignore', 'inherit'] }).system;
}
