import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import type { Observe } from '../environment.ts';
import { evaluate } from '../inspector.ts';
import { countHeapAndRequests, countPromisesAndTimers } from './counters.ts';

const require = createRequire(import.meta.url);
const apiKeys = require('kafkajs/src/protocol/requests/apiKeys.js') as Readonly<Record<string, number>>;
const apis = Object.fromEntries(Object.entries(apiKeys).map(([name, key]) => [key, name]));

type ObservedProcess = Parameters<Observe>[0];

/** Amounts by what was counted: of the whole measured part, or per unit. */
export type Counts = Readonly<Record<string, number>>;

/** Begins to count in a process, and returns a function that ends it. */
export type Pass = (process: ObservedProcess) => Promise<() => Promise<Counts>>;

/** The counts inside the process. Each needs a run of its own: async hooks allocate. */
export const ownPasses: readonly Pass[] = [heapAndRequests, promisesAndTimers];

/** Returns the passes, and one that counts system calls if there is a tracer, which slows the process down. */
export function allPasses(): readonly Pass[] {
  return spawnSync('strace', ['--version']).status === 0 ? [...ownPasses, systemCalls] : ownPasses;
}

async function heapAndRequests({ inspectorPort, brokers }: ObservedProcess): Promise<() => Promise<Counts>> {
  const brokerPorts = brokers.map((broker) => Number(new URL(`kafka://${broker}`).port));
  return countInside(inspectorPort, `(${countHeapAndRequests.toString()})(${JSON.stringify({ brokerPorts, apis })})`);
}

async function promisesAndTimers({ inspectorPort }: ObservedProcess): Promise<() => Promise<Counts>> {
  return countInside(inspectorPort, `(${countPromisesAndTimers.toString()})()`);
}

async function countInside(inspectorPort: number, start: string): Promise<() => Promise<Counts>> {
  await evaluate(inspectorPort, start);
  return async () => (await evaluate(inspectorPort, 'stopCounting()')) as Counts;
}

async function systemCalls({ pid }: ObservedProcess): Promise<() => Promise<Counts>> {
  const tracer = spawn('strace', ['-c', '-f', '-U', 'calls,name', '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const summary = text(tracer.stderr);
  await once(tracer.stderr, 'data');
  return async () => {
    tracer.kill('SIGINT');
    const calls = /^\s*(?<calls>\d+)\s+total$/m.exec(await summary)?.groups?.['calls'];
    // Some machines do not let it attach to a process.
    return calls === undefined ? {} : { systemCalls: Number(calls) };
  };
}
