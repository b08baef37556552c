import { once } from 'node:events';
import { createRequire } from 'node:module';
import { z } from 'zod';
import type { Observe } from '../environment.ts';
import { countHeapAndRequests, countPromisesAndTimers } from './counters.ts';
import { eventually } from '../../../support/time/eventually.ts';

const require = createRequire(import.meta.url);
const apiKeys = require('kafkajs/src/protocol/requests/apiKeys.js') as Readonly<Record<string, number>>;
const apis = Object.fromEntries(Object.entries(apiKeys).map(([name, key]) => [key, name]));

type ObservedProcess = Parameters<Observe>[0];

/** Amounts by what was counted: of the whole measured part, or per unit. */
export type Counts = Readonly<Record<string, number>>;

/** Begins to count in a process, and returns a function that ends it. */
export type Pass = (process: ObservedProcess) => Promise<() => Promise<Counts>>;

/** Each needs a run of its own: async hooks allocate. */
export const passes: readonly Pass[] = [heapAndRequests, promisesAndTimers];

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

const targets = z.tuple([z.object({ webSocketDebuggerUrl: z.string() })]);
const answer = z.object({
  result: z.object({
    result: z.object({ value: z.unknown().optional(), description: z.string().optional() }),
    exceptionDetails: z.unknown().optional(),
  }),
});

/**
 * Runs an expression in a process that was started with `--inspect=127.0.0.1:PORT`, and returns its value, which must be JSON.
 * Throws if the expression does. The protocol: chromedevtools.github.io/devtools-protocol/v8.
 */
async function evaluate(port: number, expression: string): Promise<unknown> {
  let url = '';
  await eventually('the inspector listens', async () => {
    url = await debuggerUrl(port);
    return url !== '';
  });
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const answered = once(socket, 'message') as Promise<[MessageEvent]>;
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression, returnByValue: true } }));
  const [{ data }] = await answered;
  socket.close();
  const { result, exceptionDetails } = answer.parse(JSON.parse(String(data))).result;
  if (exceptionDetails !== undefined) throw new Error(`The process threw: ${result.description}`);
  return result.value;
}

/** Returns nothing while the process does not listen yet. */
async function debuggerUrl(port: number): Promise<string> {
  try {
    return targets.parse(await (await fetch(`http://127.0.0.1:${port}/json/list`)).json())[0].webSocketDebuggerUrl;
  } catch {
    return '';
  }
}
