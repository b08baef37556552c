import type { Socket } from 'node:net';
import { ByteReader, ByteWriter } from './bytes.ts';
import { api, type Api, type Client } from './api.ts';
import { array, int16, int32, nullableString, struct } from './fields.ts';

/** Serves the requests of one connection one after the other, as Kafka does. Resolves when the client closes it. */
export async function serveConnection(socket: Socket, apis: readonly Api[]): Promise<void> {
  socket.setNoDelay(true);
  const all = [...apis, apiVersions(apis)];
  const host = socket.remoteAddress ?? '';
  for await (const frame of framesOf(socket)) {
    const answer = await answerTo(frame, all, host);
    if (answer !== undefined && socket.writable) socket.write(answer);
  }
}

/** Splits what a client sends into its requests. */
async function* framesOf(socket: Socket): AsyncGenerator<Buffer> {
  let received = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received = Buffer.concat([received, chunk]);
    while (received.length >= lengthBytes) {
      const end = lengthBytes + received.readInt32BE();
      if (received.length < end) break;
      yield received.subarray(lengthBytes, end);
      received = received.subarray(end);
    }
  }
}

const lengthBytes = 4;

const apiVersionsKey = 18;
/** The answer to a version that is not served. Its first field is in all versions. */
const unsupportedVersion = 35;

/** A request for something that the memory broker does not have. */
class UnsupportedRequestError extends Error {
  override readonly name = 'UnsupportedRequestError';
}

async function answerTo(frame: Buffer, apis: readonly Api[], host: string): Promise<Buffer | undefined> {
  const reader = new ByteReader(frame);
  const [key, version, correlationId] = [int16.read(reader), int16.read(reader), int32.read(reader)];
  const id = nullableString.read(reader) ?? '';
  const writer = new ByteWriter();
  int32.write(writer, correlationId);
  const found = apis.find((one) => one.key === key && one.version === version);
  if (found === undefined) {
    if (key !== apiVersionsKey) throw new UnsupportedRequestError(`request ${key} in version ${version}`);
    int16.write(writer, unsupportedVersion);
    return writer.frame();
  }
  if (found.isFlexible) {
    reader.varint();
    writer.varint(0);
  }
  return (await found.serve(reader, writer, { id, host } satisfies Client)) ? writer.frame() : undefined;
}

/** Returns the request by which a client learns what is served. */
function apiVersions(apis: readonly Api[]): Api {
  const served = [...Map.groupBy(apis, ({ key }) => key)].map(([key, versions]) => ({
    key,
    first: Math.min(...versions.map(({ version }) => version)),
    last: Math.max(...versions.map(({ version }) => version)),
  }));
  return api({
    key: apiVersionsKey,
    version: 2,
    request: struct({}),
    answer: struct({
      errorCode: int16,
      apis: array(struct({ key: int16, first: int16, last: int16 })),
      throttleMs: int32,
    }),
    serve: () => ({ errorCode: 0, apis: served, throttleMs: 0 }),
  });
}
