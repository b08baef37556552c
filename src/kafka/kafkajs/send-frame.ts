import type { Broker, Cluster, Connection } from './internals.ts';

/** One version of a request type. */
interface Api {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly apiName: string;
  /** The broker's connection for it: fetches, which a broker may hold, have their own. */
  readonly connection: 0 | 1;
  /** The position in an answer of the time in ms for which the client has to send nothing (KIP-219). */
  readonly throttleAt: number;
}

export interface FrameHeader {
  readonly correlationId: number;
  readonly clientId: string;
}

interface FrameToSend {
  readonly api: Api;
  readonly encode: (header: FrameHeader) => Buffer;
  /** In ms. The client's own when left out. */
  readonly timeoutMs?: number | undefined;
}

/** Bytes of a request before its body, without the client's id. */
const frameBytes = 14;

/** Returns a buffer with room for a body, filled up to it, and the position of the body. */
export function beginFrame(api: Api, { correlationId, clientId }: FrameHeader, bodyBytes: number): [Buffer, number] {
  const frame = Buffer.allocUnsafe(frameBytes + Buffer.byteLength(clientId) + bodyBytes);
  let at = frame.writeInt16BE(api.apiKey, 4);
  at = frame.writeInt16BE(api.apiVersion, at);
  at = writeText(frame, clientId, frame.writeInt32BE(correlationId, at));
  return [frame, at];
}

/** Returns the frame up to this position, with its length. */
export function endFrame(frame: Buffer, at: number): Buffer {
  frame.writeInt32BE(at - 4, 0);
  return frame.subarray(0, at);
}

export function writeText(frame: Buffer, text: string, at: number): number {
  const bytes = frame.write(text, at + 2);
  return frame.writeInt16BE(bytes, at) + bytes;
}

export function writeInt64(frame: Buffer, value: number, at: number): number {
  const high = Math.floor(value / 2 ** 32);
  return frame.writeUInt32BE(value - high * 2 ** 32, frame.writeInt32BE(high, at));
}

/** Offsets are safe integers. */
export function readOffset(answer: Buffer, at: number): number {
  return answer.readInt32BE(at) * 2 ** 32 + answer.readUInt32BE(at + 4);
}

/** Finds a broker, which takes kafkajs several promises. Connects to it if necessary. */
export function connectedBroker(cluster: Cluster, id: number | string): Broker | Promise<Broker> {
  const nodeId = String(id);
  const known = cluster.brokerPool.brokers[nodeId];
  return known?.isConnected() === true ? known : cluster.findBroker({ nodeId });
}

/**
 * Sends a request that is one buffer. Resolves to the bytes of the answer after its correlation id.
 *
 * kafkajs builds a request of encoders with 512 bytes each, through a dozen promises. Its connections, its queue of requests and
 * its errors stay.
 */
export async function sendFrame(broker: Broker, { api, encode, timeoutMs }: FrameToSend): Promise<Buffer> {
  const connection = broker.connectionPool.pool[api.connection];
  if (!connection.isConnected()) await connection.connect();
  if (connection.sasl !== null && !connection.isAuthenticated()) await connection.authenticate();
  try {
    const { payload } = await push(connection, { api, encode, timeoutMs });
    connection.requestQueue.maybeThrottle(payload.readInt32BE(api.throttleAt));
    return payload;
  } catch (error) {
    if (error instanceof Error && error.name === 'KafkaJSConnectionClosedError') await broker.disconnect();
    throw error;
  }
}

/** Throws if the connection is closed. */
function push(connection: Connection, { api, encode, timeoutMs }: FrameToSend): Promise<{ readonly payload: Buffer }> {
  connection.failIfNotConnected();
  const correlationId = connection.nextCorrelationId();
  const frame = encode({ correlationId, clientId: connection.clientId });
  return new Promise((resolve, reject) => {
    connection.requestQueue.push({
      entry: { ...api, correlationId, resolve, reject },
      expectResponse: true,
      requestTimeout: timeoutMs,
      sendRequest: () => connection.socket?.write(frame),
    });
  });
}
