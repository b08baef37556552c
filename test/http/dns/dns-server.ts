import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** The server's answers by name: addresses for A and AAAA with a time to live, an alias, an error, or silence. */
export type Zone = Readonly<Record<string, Entry>>;

interface Entry {
  readonly a?: FamilyEntry;
  readonly aaaa?: FamilyEntry;
  readonly ttlSeconds?: number;
  /** The time after which each is sent. */
  readonly delaysMs?: { readonly a: number; readonly aaaa: number };
}

/**
 * `alias` is a CNAME whose target has no address, `loop` one whose target is the name itself. `cut` is truncated over UDP, and
 * over TCP ends after its header.
 */
export type FamilyEntry = readonly string[] | 'alias' | 'loop' | 'silence' | 'cut' | keyof typeof errorCodes;

export interface DnsServer extends AsyncDisposable {
  /** `address:port`. */
  readonly address: string;
  /** The queries as `A name` and `AAAA name`, in the order of arrival. */
  readonly queries: readonly string[];
}

/**
 * Starts a name server on a free port of 127.0.0.1. It answers queries for one name each (RFC 1035). An answer that is too
 * long for UDP is truncated there, and complete over TCP.
 */
export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  const queries: string[] = [];
  const delayed = new Set<NodeJS.Timeout>();
  const respond = (message: Buffer, longest: number, send: (response: Buffer) => void): void => {
    const query = readQuery(message);
    const entry = zone[query.name];
    const answer = answerTo(query, entry);
    const response = answer && writeAnswer(message, query, answer);
    const isWhole = response === undefined || response.length <= longest;
    if (isWhole) queries.push(`${familyOf(query).toUpperCase()} ${query.name}`);
    if (response === undefined) return;
    const sent = isWhole ? response : truncate(response, query);
    const delayMs = entry?.delaysMs?.[familyOf(query)] ?? 0;
    if (delayMs === 0) send(sent);
    else delayed.add(setTimeout(() => send(sent), delayMs));
  };
  const { udp, tcp, port } = await listen();
  udp.on('message', (message, peer) => {
    respond(message, longestOverUdp, (response) => udp.send(response, peer.port));
  });
  tcp.on('connection', (socket) => {
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE()) {
        const end = 2 + received.readUInt16BE();
        const query = readQuery(received.subarray(2, end));
        const isCut = zone[query.name]?.[familyOf(query)] === 'cut';
        respond(received.subarray(2, end), longestOverTcp, (response) => {
          const bytes = Buffer.concat([twoBytes(response.length), response]);
          if (isCut) socket.end(bytes.subarray(0, 2 + headerBytes));
          else socket.write(bytes);
        });
        received = received.subarray(end);
      }
    });
  });
  return {
    address: `127.0.0.1:${port}`,
    queries,
    async [Symbol.asyncDispose]() {
      for (const timer of delayed) clearTimeout(timer);
      udp.close();
      tcp.close();
      await once(udp, 'close');
    },
  };
}

/** Room for a burst of queries. The server shares a thread with the resolver, so it reads none of them in the meantime. */
const recvBufferSize = 4 * 1024 * 1024;

/** Binds one port for both protocols. A port that is free for one of them may be taken for the other. */
async function listen(): Promise<{ readonly udp: Socket; readonly tcp: Server; readonly port: number }> {
  for (;;) {
    const udp = createSocket({ type: 'udp4', recvBufferSize }).bind(0, '127.0.0.1');
    await once(udp, 'listening');
    const { port } = udp.address();
    const tcp = createServer().listen(port, '127.0.0.1');
    const isFree = await once(tcp, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) return { udp, tcp, port };
    udp.close();
  }
}

/** The longest message in bytes that most name servers send over UDP, and the longest of all. */
const longestOverUdp = 1232;
const longestOverTcp = 65_535;

function truncate(response: Buffer, query: Query): Buffer {
  const truncated = Buffer.from(response.subarray(0, query.end));
  truncated.writeUInt16BE(0x8380, 2);
  truncated.writeUInt16BE(0, 6);
  return truncated;
}

function twoBytes(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

const headerBytes = 12;
const typeA = 1;
const typeCname = 5;
const classInternet = 1;
const errorCodes = { servfail: 2, nxdomain: 3, refused: 5 } as const;

interface Query {
  readonly name: string;
  readonly type: number;
  /** The offset of its end in the message. */
  readonly end: number;
}

function familyOf({ type }: Query): 'a' | 'aaaa' {
  return type === typeA ? 'a' : 'aaaa';
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
  readonly records: readonly Buffer[];
}

function answerTo(query: Query, entry: Entry | undefined): Answer | undefined {
  if (entry === undefined) return { code: errorCodes.nxdomain, records: [] };
  const { a = [], aaaa = [], ttlSeconds = 60 } = entry;
  const found = familyOf(query) === 'a' ? a : aaaa;
  switch (found) {
    case 'silence':
      return undefined;
    case 'alias':
      return { code: 0, records: [writeRecord(typeCname, nameBytes(`alias.${query.name}`), ttlSeconds)] };
    case 'loop':
      return { code: 0, records: [writeRecord(typeCname, nameBytes(query.name), ttlSeconds)] };
    case 'servfail':
    case 'nxdomain':
    case 'refused':
      return { code: errorCodes[found], records: [] };
    case 'cut':
      return {
        code: 0,
        records: Array.from({ length: 100 }, () => writeRecord(query.type, Buffer.alloc(16), ttlSeconds)),
      };
    default:
      return { code: 0, records: found.map((address) => writeRecord(query.type, addressBytes(address), ttlSeconds)) };
  }
}

function writeAnswer(message: Buffer, query: Query, { code, records }: Answer): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(message.readUInt16BE(0), 0);
  // The flags of a response with recursion available.
  header.writeUInt16BE(0x8180 + code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, message.subarray(headerBytes, query.end), ...records]);
}

/** Writes a record for the name in the query. */
function writeRecord(type: number, data: Buffer, ttlSeconds: number): Buffer {
  const record = Buffer.alloc(headerBytes);
  // A pointer to that name.
  record.writeUInt16BE(0xc000 + headerBytes, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(classInternet, 4);
  record.writeUInt32BE(ttlSeconds, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, 'latin1')]));
  return Buffer.concat([...labels, Buffer.of(0)]);
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
