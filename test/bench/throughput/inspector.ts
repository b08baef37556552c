import { once } from 'node:events';
import { z } from 'zod';
import { eventually } from '../../support/time/eventually.ts';

const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() }));
const evaluation = z.object({
  result: z.object({ value: z.unknown().optional(), description: z.string().optional() }),
  exceptionDetails: z.unknown().optional(),
});
const answer = z.object({ id: z.number(), result: z.unknown() });

async function debuggerUrl(port: number): Promise<string | undefined> {
  try {
    const list = targets.parse(await (await fetch(`http://127.0.0.1:${port}/json/list`)).json());
    return list[0]?.webSocketDebuggerUrl;
  } catch {
    // The process does not listen yet.
    return undefined;
  }
}

/** A client of V8's inspector protocol: chromedevtools.github.io/devtools-protocol/v8. */
export class Inspector implements Disposable {
  readonly #socket: WebSocket;
  readonly #calls = new Map<number, (result: unknown) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      // Messages without an id are events, which nothing here waits for.
      const { success, data: answered } = answer.safeParse(JSON.parse(String(data)));
      if (success) this.#calls.get(answered.id)?.(answered.result);
    });
  }

  /** Connects to a process that was started with `--inspect=127.0.0.1:PORT`. */
  static async connect(port: number): Promise<Inspector> {
    let url = '';
    await eventually('the inspector listens', async () => {
      url = (await debuggerUrl(port)) ?? '';
      return url !== '';
    });
    const socket = new WebSocket(url);
    await once(socket, 'open');
    return new Inspector(socket);
  }

  /** Runs an expression in the process, and returns its value, which must be JSON. Throws if the expression does. */
  async evaluate(expression: string): Promise<unknown> {
    const evaluated = await this.call('Runtime.evaluate', { expression, returnByValue: true });
    const { result, exceptionDetails } = evaluation.parse(evaluated);
    if (exceptionDetails !== undefined) throw new Error(`The process threw: ${result.description}`);
    return result.value;
  }

  async call(method: string, params: object = {}): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = Promise.withResolvers<unknown>();
    this.#calls.set(id, answered.resolve);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answered.promise;
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}
