import type { Connection } from './internals.ts';

/**
 * Requests that find their connection closed share one attempt to open it. Each opened a socket of its own, of which
 * all but the last leaked, and their bytes met in one parser.
 * github.com/tulios/kafkajs/issues/715, github.com/tulios/kafkajs/issues/1440
 */
export function connectOnce(connection: Connection): void {
  const { connect } = connection;
  const attempts = new WeakMap<Connection, Promise<boolean>>();
  connection.connect = function sharedConnect(this: Connection) {
    const underWay = attempts.get(this);
    if (underWay !== undefined) return underWay;
    const attempt = connect.call(this).finally(() => attempts.delete(this));
    attempts.set(this, attempt);
    return attempt;
  };
}
