import { subscribe, unsubscribe } from 'node:diagnostics_channel';

interface RequestWatch {
  /** Called when the whole request was written to the socket. */
  readonly onWritten: () => void;
  /** Called when the head of a final response was read. */
  readonly onHead: () => void;
}

/**
 * Watches the requests of this process to an origin, until it is disposed. undici publishes their steps, and to publish
 * without a subscriber costs nothing.
 */
export function watchRequests(origin: string, { onWritten, onHead }: RequestWatch): Disposable {
  const channels = { 'undici:request:bodySent': onWritten, 'undici:request:headers': onHead };
  const stack = new DisposableStack();
  for (const [channel, call] of Object.entries(channels)) {
    const take = (message: unknown): void => {
      if (originOf(message) === origin) call();
    };
    subscribe(channel, take);
    stack.defer(() => unsubscribe(channel, take));
  }
  return stack;
}

function originOf(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('request' in message)) return undefined;
  const { request } = message;
  return typeof request === 'object' && request !== null && 'origin' in request ? request.origin : undefined;
}
