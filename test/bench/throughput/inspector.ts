import { once } from 'node:events';
import { z } from 'zod';
import { eventually } from '../../support/time/eventually.ts';

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
export async function evaluate(port: number, expression: string): Promise<unknown> {
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
