import { getDiffieHellman } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Answer } from '../../support/endpoints/answers.ts';
import { startEndpoint } from '../../support/endpoints/endpoint.ts';
import { createAuthority, type Identity } from '../../support/tls/authority.ts';
import { der } from '../../support/tls/der.ts';
import { concatenate, handshakeMessage, uint16, vector } from '../../support/tls/record-keys.ts';
import { recordTypes, startRecordServer, type RecordConnection } from '../../support/tls/record-server.ts';

/** An endpoint that sends too much, in one way. */
export interface FloodingEndpoint extends AsyncDisposable {
  readonly port: number;
  readonly connectionsOpened: number;
}

export interface Flood {
  readonly name: string;
  /** `delivered` if the flood comes after a 2xx head. */
  readonly outcome: 'delivered' | 'protocol_error' | 'tls_error';
  /** False if the client closes the connection before any limit, because it needs nothing more of the response. */
  readonly isExcess: boolean;
  readonly start: (identity: Identity) => Promise<FloodingEndpoint>;
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
const complete = Buffer.from(`${ok}Content-Length: 2\r\n\r\n{}`);

/** All ways in which an endpoint may send too much within HTTP. */
export const httpFloods: readonly Flood[] = [
  http('interim responses without end', 'protocol_error', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)),
  http('a head without end', 'protocol_error', ok, `X: ${'x'.repeat(1000)}\r\n`),
  http('a chunk extension without end', 'delivered', `${chunked}1;`, 'x'.repeat(1000)),
  http('chunks of one byte without end', 'delivered', chunked, '1\r\na\r\n'.repeat(200)),
  http('content without end', 'delivered', `${ok}\r\n`, 'x'.repeat(1000), false),
  http(
    'content of a length of 10 GB',
    'delivered',
    `${ok}Content-Length: 10000000000\r\n\r\n`,
    'x'.repeat(1000),
    false,
  ),
];

/** All ways in which an endpoint may send too much within TLS. */
export const tlsFloods: readonly Flood[] = [
  records('20,000 session tickets before its response', 'protocol_error', (connection) => [
    ...sessionTickets(connection, 20_000),
    content(connection, complete),
  ]),
  records('20,000 session tickets after its head', 'delivered', (connection) => [
    content(connection, Buffer.from(chunked)),
    ...sessionTickets(connection, 20_000),
  ]),
  records('1,000 new keys before its response', 'protocol_error', (connection) => [
    ...newKeys(connection, 1000),
    content(connection, complete),
  ]),
  records('1,000 new keys after its head', 'delivered', (connection) => [
    content(connection, Buffer.from(chunked)),
    ...newKeys(connection, 1000),
  ]),
  records('a response in records of one byte', 'protocol_error', (connection) =>
    Array.from(Buffer.from(`${ok}X: ${'x'.repeat(3000)}\r\n\r\n`), (byte) => content(connection, Buffer.of(byte))),
  ),
];

/** All ways in which a server may make handshakes expensive that the client does not offer. */
export const handshakeFloods: readonly Flood[] = [
  {
    name: 'requests to renegotiate without end',
    outcome: 'tls_error',
    isExcess: false,
    start: (identity) => startEndpoint({ identity, tls: { maxVersion: 'TLSv1.2' }, answers: [renegotiate] }),
  },
  {
    name: 'a finite field of 8,192 bits',
    outcome: 'tls_error',
    isExcess: false,
    start: () => {
      const identity = createAuthority('An unknown authority').issue({ rsaBits: 2048 });
      const tls = { maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: largeField() } as const;
      return startEndpoint({ identity, tls });
    },
  },
];

const renegotiate: Answer = (exchange) => {
  exchange.tls.setMaxListeners(0);
  exchange.tls.renegotiate({}, () => {
    if (!exchange.tls.destroyed) setImmediate(renegotiate, exchange);
  });
};

/** Returns the parameters of the 18th group of RFC 3526. One handshake with them takes a second. */
export function largeField(): string {
  const group = getDiffieHellman('modp18');
  const positive = (bytes: Buffer): Buffer => der.longInteger(Buffer.concat([Buffer.of(0), bytes]));
  const parameters = der.sequence(positive(group.getPrime()), der.longInteger(group.getGenerator()));
  return `-----BEGIN DH PARAMETERS-----\n${parameters.toString('base64')}\n-----END DH PARAMETERS-----\n`;
}

function http(name: string, outcome: Flood['outcome'], head: string, repeated: string, isExcess = true): Flood {
  const flood: Answer = ({ tls }) => {
    tls.write(head);
    sendWithoutEnd(tls, Buffer.from(repeated));
  };
  return { name, outcome, isExcess, start: (identity) => startEndpoint({ identity, answers: [flood] }) };
}

/** Sends as fast as the client takes it, until the connection is closed. */
function sendWithoutEnd(socket: TLSSocket | Socket, bytes: Buffer): void {
  if (!socket.destroyed) socket.write(bytes, () => setImmediate(sendWithoutEnd, socket, bytes));
}

function records(
  name: string,
  outcome: Flood['outcome'],
  create: (connection: RecordConnection) => readonly Buffer[],
): Flood {
  return {
    name,
    outcome,
    isExcess: true,
    start: (identity) => startRecordServer(identity, (one) => void one.socket.write(concatenate(...create(one)))),
  };
}

function content({ keys }: RecordConnection, data: Buffer): Buffer {
  return keys.seal(recordTypes.content, data);
}

/** Returns records full of tickets (RFC 8446, 4.6.1). */
function sessionTickets({ keys }: RecordConnection, count: number): readonly Buffer[] {
  const ticket = (index: number): Buffer => {
    const lifetimeAndAge = Buffer.from([0, 0, 14, 16, 0, 0, 0, 0]);
    const nonce = vector(1, uint16(index));
    return handshakeMessage(4, concatenate(lifetimeAndAge, nonce, vector(2, nonce), vector(2, Buffer.alloc(0))));
  };
  const perRecord = 500;
  return Array.from({ length: Math.ceil(count / perRecord) }, (_, record) => {
    const tickets = Array.from({ length: perRecord }, (_ticket, index) => ticket(record * perRecord + index));
    return keys.seal(recordTypes.handshake, concatenate(...tickets));
  });
}

/** Returns a record for each new key (RFC 8446, 4.6.3). Each asks the client for a new key, too. */
function newKeys({ keys }: RecordConnection, count: number): readonly Buffer[] {
  return Array.from({ length: count }, () => {
    const record = keys.seal(recordTypes.handshake, handshakeMessage(24, Buffer.of(1)));
    keys.update();
    return record;
  });
}
