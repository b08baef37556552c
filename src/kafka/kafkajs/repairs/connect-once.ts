import type { Connection } from '../internals.ts';

/** Bytes of the length before each answer. */
const lengthBytes = 4;

/**
 * Opens a closed connection once for all requests that need it.
 *
 * In kafkajs each of these requests opens a socket. All sockets but the last leaked, and their bytes were mixed in one
 * parser. Here the requests share one attempt.
 *
 * Each attempt begins with an empty parser. kafkajs kept the part of an answer that a lost socket had left, and read the
 * next answers as its rest. It also kept a login that the lost socket had interrupted, which took the next answer.
 * github.com/tulios/kafkajs/issues/715, github.com/tulios/kafkajs/issues/1440
 */
export function connectOnce(connection: Connection): void {
  const { connect } = connection;
  const attempts = new WeakMap<Connection, Promise<boolean>>();
  connection.connect = function sharedConnect(this: Connection) {
    const pending = attempts.get(this);
    if (pending !== undefined) return pending;
    const emptied = { chunks: [], bytesBuffered: 0, bytesNeeded: lengthBytes, authHandlers: null };
    if (!this.isConnected()) Object.assign(this, emptied);
    const attempt = connect.call(this).finally(() => attempts.delete(this));
    attempts.set(this, attempt);
    return attempt;
  };
}
