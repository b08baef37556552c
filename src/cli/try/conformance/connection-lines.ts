import type { PreparedRequest } from '../../../deliveries/request.ts';
import { addAbortListener, once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { parseHead, UnfinishedHead } from '../../../http/response/response-head.ts';
import { RequestError } from '../../../http/request-error.ts';
import { classify } from '../../../http/classify.ts';
import { sleep, type Clock } from '../../../lib/clock.ts';
import { Receiver, describe, isAccepted, judge, type Verdict } from './receiver.ts';

/** The pause between the halves of a body, and the time for which an idle connection is watched. */
const pauseMs = 1000;

/** Sends a body in two halves. An answer to the first half can't be about a stored certificate. */
export async function playHalves(receiver: Receiver): Promise<Verdict> {
  return onConnection(receiver, async (socket) => {
    const { clock, settings } = receiver.options;
    const { first, second } = halvesOf(receiver.request(receiver.sample()));
    const status = new FinalStatus(socket);
    socket.write(first);
    const early = await status.within(pauseMs, clock);
    if (early !== undefined) return fault(`${answered(early)} before the second half was sent`);
    socket.write(second);
    const answer = await status.within(settings.delivery.timeoutMs, clock);
    if (answer === undefined) return fault('no answer after the second half');
    const isSuccess = answer !== 'closed' && answer < 300;
    return isSuccess ? { kind: 'ok', saw: answered(answer) } : fault(answered(answer));
  });
}

/** Ends a connection in the middle of a body. Then sends a right request on another one. */
export async function playCut(receiver: Receiver): Promise<Verdict> {
  const { clock, signal } = receiver.options;
  const failure = await onConnection(receiver, async (socket) => {
    socket.write(halvesOf(receiver.request(receiver.sample())).first);
    await sleep(clock, readingMs, signal);
    return undefined;
  });
  if (failure !== undefined) return failure;
  const { kind, saw } = judge([await receiver.sendSample()], isAccepted);
  return { kind, saw: `then ${saw}` };
}

/** The time after which a receiver is in the middle of reading. */
const readingMs = 100;

/** Sends three requests, with a pause after the first. A connection that is kept must serve the others. */
export async function playReuse({ options, egress }: Receiver): Promise<Verdict> {
  const { clock, signal } = options;
  // Without the connections that other lines have left.
  await using receiver = new Receiver(options, egress);
  const first = await receiver.sendSample();
  const wasKept = await receiver.becomesIdle(1);
  await sleep(clock, pauseMs, signal);
  const isKept = receiver.idle > 0;
  const second = await receiver.sendSample();
  const third = await receiver.sendSample();
  const outcomes = [first, second, third];
  if (!outcomes.every(isAccepted)) return judge(outcomes, isAccepted);
  if (!wasKept) return { kind: 'ok', saw: `${describe(outcomes)}; each answer closes its connection` };
  if (!isKept) return fault('the connection was closed within a second, although the answer did not say so');
  if (receiver.opened > 1) return fault('the connection was lost when it was used again');
  return { kind: 'ok', saw: describe(outcomes) };
}

/** Runs with a connection and closes it. A connection that can't be opened is a fault. */
async function onConnection<Result>(
  receiver: Receiver,
  run: (socket: TLSSocket) => Promise<Result>,
): Promise<Result | Verdict> {
  const { signal } = receiver.options;
  signal.throwIfAborted();
  try {
    const socket = await receiver.connect();
    using _listener = addAbortListener(signal, () => socket.destroy());
    try {
      return await run(socket);
    } finally {
      socket.destroy();
      if (!socket.closed) await once(socket, 'close');
      signal.throwIfAborted();
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof RequestError)) throw error;
    return fault(describe([classify(error)]));
  }
}

function halvesOf({ head, extraHeaders, body }: PreparedRequest): { readonly first: Buffer; readonly second: Buffer } {
  const names = [...head.headers, ...extraHeaders];
  const fields = names.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${names[index + 1]}\r\n`] : []));
  const { host } = new URL(head.origin);
  const text = `POST ${head.path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n${fields.join('')}`;
  const middle = Math.floor(body.length / 2);
  const start = Buffer.from(`${text}content-length: ${body.length}\r\n\r\n`, 'latin1');
  return { first: Buffer.concat([start, body.subarray(0, middle)]), second: body.subarray(middle) };
}

type Answer = number | 'closed';

/** The status of the final response on a connection, or that it was closed before. */
class FinalStatus {
  readonly #unfinished = new UnfinishedHead();
  readonly #found = Promise.withResolvers<Answer>();

  constructor(socket: TLSSocket) {
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('close', () => this.#found.resolve('closed'));
  }

  /** Resolves to undefined if nothing has come within that time. */
  async within(ms: number, clock: Clock): Promise<Answer | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    using _timer = clock.after(ms, () => resolve(undefined));
    return await Promise.race([this.#found.promise, promise]);
  }

  #take(chunk: Buffer): void {
    this.#unfinished.append(chunk);
    for (let text = this.#unfinished.head(); text !== undefined; text = this.#unfinished.head()) {
      const head = parseHead(text);
      this.#unfinished.drop(text.length);
      if (head.kind === 'refused') return this.#found.resolve('closed');
      if (head.status >= 200) return this.#found.resolve(head.status);
    }
  }
}

function answered(answer: Answer): string {
  return answer === 'closed' ? 'closed the connection' : `answered ${answer}`;
}

function fault(saw: string): Verdict {
  return { kind: 'fault', saw };
}
