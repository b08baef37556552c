/** What a broker answers instead of doing it; `type` as kafkajs has it. */
export class BrokerError extends Error {
  override readonly name = 'KafkaJSProtocolError';
  readonly type: string;

  constructor(type: string) {
    super(type);
    this.type = type;
  }
}

/** Nothing was heard: nobody knows whether it was done. */
export class ConnectionLostError extends Error {
  override readonly name = 'KafkaJSConnectionClosedError';

  constructor() {
    super('the connection was closed');
  }
}

const rejoinTypes: ReadonlySet<string> = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID']);

/** The group goes on without our generation: only a join brings us back. */
export function isRejoinError(error: unknown): error is BrokerError {
  return error instanceof BrokerError && rejoinTypes.has(error.type);
}
