import { createPublicKey, diffieHellman, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { portOf } from '../endpoints/endpoint.ts';
import type { Identity } from './authority.ts';
import {
  concatenate,
  expand,
  extract,
  handshakeMessage,
  hash,
  RecordKeys,
  uint16,
  uint8,
  vector,
} from './record-keys.ts';

/** The server's end of a connection after the handshake. */
export interface RecordConnection {
  readonly socket: Socket;
  /** The keys of the records that the server sends. */
  readonly keys: RecordKeys;
}

export interface RecordServer extends AsyncDisposable {
  readonly port: number;
  readonly connectionsOpened: number;
  readonly connectionsOpen: number;
}

/**
 * Starts a TLS 1.3 server (RFC 8446) that can send any records, also those that a library never would. Calls `answer` with
 * the first content of each connection. Knows one suite (`TLS_AES_128_GCM_SHA256`) and one group (X25519).
 */
export async function startRecordServer(
  identity: Identity,
  answer: (connection: RecordConnection) => void,
): Promise<RecordServer> {
  const sockets = new Set<Socket>();
  let opened = 0;
  const server = createServer((socket) => {
    opened += 1;
    sockets.add(socket.on('error', () => undefined));
    socket.on('close', () => sockets.delete(socket));
    acceptRecords(socket, identity, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    get connectionsOpened() {
      return opened;
    },
    get connectionsOpen() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** The types of records (RFC 8446, B.1). */
export const recordTypes = { handshake: 22, content: 23 } as const;

function acceptRecords(socket: Socket, identity: Identity, answer: (connection: RecordConnection) => void): void {
  let received: Buffer = Buffer.alloc(0);
  let handshake: Handshake | undefined;
  let isAnswered = false;
  socket.on('data', (chunk: Buffer) => {
    received = concatenate(received, chunk);
    while (received.length >= 5 && received.length >= 5 + received.readUInt16BE(3)) {
      const record = received.subarray(0, 5 + received.readUInt16BE(3));
      received = received.subarray(record.length);
      if (record[0] === recordTypes.handshake)
        socket.write((handshake ??= respond(record.subarray(5), identity)).flight);
      if (record[0] !== recordTypes.content || handshake === undefined || isAnswered) continue;
      if (handshake.clientKeys.open(record) === recordTypes.handshake)
        handshake.clientKeys = handshake.clientTrafficKeys;
      else {
        isAnswered = true;
        answer({ socket, keys: handshake.serverTrafficKeys });
      }
    }
  });
}

interface Handshake {
  /** The records from the server's hello to its end of the handshake. */
  readonly flight: Buffer;
  clientKeys: RecordKeys;
  readonly clientTrafficKeys: RecordKeys;
  readonly serverTrafficKeys: RecordKeys;
}

/** Answers a ClientHello, and derives all keys (RFC 8446, 7.1). */
function respond(clientHello: Buffer, { certificate, key }: Identity): Handshake {
  const { sessionId, share } = readClientHello(clientHello);
  const own = generateKeyPairSync('x25519');
  const spki = concatenate(Buffer.from('302a300506032b656e032100', 'hex'), share);
  const peer = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const secret = diffieHellman({ privateKey: own.privateKey, publicKey: peer });
  const ownShare = own.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const extensions = concatenate(
    concatenate(uint16(43), vector(2, uint16(0x03_04))),
    concatenate(uint16(51), vector(2, concatenate(uint16(29), vector(2, ownShare)))),
  );
  const serverHello = handshakeMessage(
    2,
    concatenate(
      uint16(0x03_03),
      randomBytes(32),
      vector(1, sessionId),
      uint16(0x13_01),
      uint8(0),
      vector(2, extensions),
    ),
  );
  const handshakeSecret = extract(expand(extract(zeros, zeros), 'derived', hash(nothing)), secret);
  const hello = hash(clientHello, serverHello);
  const serverSecret = expand(handshakeSecret, 's hs traffic', hello);
  const { raw } = new X509Certificate(certificate);
  const certificates = concatenate(
    handshakeMessage(8, vector(2, nothing)),
    handshakeMessage(11, concatenate(vector(1, nothing), vector(3, concatenate(vector(3, raw), vector(2, nothing))))),
  );
  const context = concatenate(Buffer.alloc(64, ' '), Buffer.from('TLS 1.3, server CertificateVerify\0'));
  const signature = sign('sha256', concatenate(context, hash(clientHello, serverHello, certificates)), key);
  const verify = handshakeMessage(15, concatenate(uint16(0x04_03), vector(2, signature)));
  const verified = hash(clientHello, serverHello, certificates, verify);
  const finished = handshakeMessage(20, extract(expand(serverSecret, 'finished', nothing), verified));
  const master = extract(expand(handshakeSecret, 'derived', hash(nothing)), zeros);
  const ended = hash(clientHello, serverHello, certificates, verify, finished);
  const sealed = new RecordKeys(serverSecret).seal(recordTypes.handshake, concatenate(certificates, verify, finished));
  return {
    flight: concatenate(uint8(recordTypes.handshake), uint16(0x03_03), vector(2, serverHello), sealed),
    clientKeys: new RecordKeys(expand(handshakeSecret, 'c hs traffic', hello)),
    clientTrafficKeys: new RecordKeys(expand(master, 'c ap traffic', ended)),
    serverTrafficKeys: new RecordKeys(expand(master, 's ap traffic', ended)),
  };
}

const nothing = Buffer.alloc(0);
const zeros = Buffer.alloc(32);

/** Returns the session id, and the client's share of X25519. */
function readClientHello(message: Buffer): { readonly sessionId: Buffer; readonly share: Buffer } {
  let at = 4 + 2 + 32;
  const next = (lengthBytes: number): Buffer => {
    const length = message.readUIntBE(at, lengthBytes);
    at += lengthBytes + length;
    return message.subarray(at - length, at);
  };
  const sessionId = next(1);
  next(2);
  next(1);
  const end = at + 2 + message.readUInt16BE(at);
  at += 2;
  while (at < end) {
    const type = message.readUInt16BE(at);
    at += 2;
    const extension = next(2);
    if (type !== 51) continue;
    const share = extension.indexOf(Buffer.of(0, 29, 0, 32));
    return { sessionId, share: extension.subarray(share + 4, share + 36) };
  }
  throw new Error('The client sends no share of a key.');
}
