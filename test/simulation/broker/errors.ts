/** The error response of a broker. `type` is the name that kafkajs gives the error code. */
export class BrokerError extends Error {
  override readonly name = 'KafkaJSProtocolError';
  readonly type: string;

  constructor(type: string) {
    super(type);
    this.type = type;
  }
}

/** No response arrived. The broker may or may not have carried out the request. */
export class ConnectionLostError extends Error {
  override readonly name = 'KafkaJSConnectionClosedError';

  constructor() {
    super('the connection was closed');
  }
}

const rejoinTypes: ReadonlySet<string> = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID']);

/** Returns true if the member has to join again: the group has moved on to another generation. */
export function isRejoinError(error: unknown): error is BrokerError {
  return error instanceof BrokerError && rejoinTypes.has(error.type);
}
