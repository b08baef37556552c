import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The server's answers by name: addresses for A and AAAA with a time to live, an error, or silence. */
type Zone = Readonly<Record<string, Entry>>;

interface Entry {
  readonly a?: readonly string[] | 'silence' | 'servfail';
  readonly aaaa?: readonly string[] | 'silence' | 'servfail';
  readonly ttlSeconds?: number;
}

export interface DnsServer extends AsyncDisposable {
  /** `address:port`. */
  readonly address: string;
  /** The queries as `A name` and `AAAA name`, in the order of arrival. */
  readonly queries: readonly string[];
}

/** Starts a name server on a free port of 127.0.0.1. It answers queries for one name each (RFC 1035). */
export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  const queries: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, peer) => {
    const query = readQuery(message);
    queries.push(`${query.type === typeA ? 'A' : 'AAAA'} ${query.name}`);
    const answer = answerTo(query, zone[query.name]);
    if (answer !== undefined) socket.send(writeAnswer(message, query, answer), peer.port);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

const headerBytes = 12;
const typeA = 1;
const classInternet = 1;
const nameError = 3;
const serverFailure = 2;

interface Query {
  readonly name: string;
  readonly type: number;
  /** The offset of its end in the message. */
  readonly end: number;
}

function readQuery(message: Buffer): Query {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

interface Answer {
  readonly code: number;
  readonly addresses: readonly string[];
  readonly ttlSeconds: number;
}

function answerTo(query: Query, entry: Entry | undefined): Answer | undefined {
  if (entry === undefined) return { code: nameError, addresses: [], ttlSeconds: 0 };
  const { a = [], aaaa = [], ttlSeconds = 60 } = entry;
  const records = query.type === typeA ? a : aaaa;
  if (records === 'silence') return undefined;
  return records === 'servfail'
    ? { code: serverFailure, addresses: [], ttlSeconds: 0 }
    : { code: 0, addresses: records, ttlSeconds };
}

function writeAnswer(message: Buffer, query: Query, answer: Answer): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(message.readUInt16BE(0), 0);
  // The flags of a response with recursion available.
  header.writeUInt16BE(0x8180 + answer.code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answer.addresses.length, 6);
  const records = answer.addresses.map((address) => writeRecord(query.type, address, answer.ttlSeconds));
  return Buffer.concat([header, message.subarray(headerBytes, query.end), ...records]);
}

function writeRecord(type: number, address: string, ttlSeconds: number): Buffer {
  const data = addressBytes(address);
  const record = Buffer.alloc(headerBytes);
  // A pointer to the name in the query.
  record.writeUInt16BE(0xc000 + headerBytes, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(classInternet, 4);
  record.writeUInt32BE(ttlSeconds, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

/** Expects IPv6 addresses with all eight groups written out. */
function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  return Buffer.from(
    address
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  );
}
