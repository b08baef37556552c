import { bytes, disconnect, hang, hangInHead, largeHead, reset, resetInHead, type Answer } from './answers.ts';
import { createAuthority, createSelfSigned, expired, type Identity } from '../tls/authority.ts';
import { startEndpoint } from './endpoint.ts';
import { reserveRefusingPort, resetInHandshake, speakPlainHttp, startListener } from './listeners.ts';
import type { Platform } from '../service/platform.ts';
import { aSubscriber, type Subscriber } from '../service/subscriber.ts';

/** A webhook that never gets a usable answer, with the expected outcome and failure of each attempt. */
interface FailingEndpoint {
  readonly subscriber: Subscriber;
  readonly outcome: string;
  readonly failure: string;
}

interface FailingEndpoints extends AsyncDisposable {
  readonly list: readonly FailingEndpoint[];
}

interface FailingEndpointsOptions {
  /** The owner of all the webhooks. */
  readonly ownerId: string;
  /** The `DELIVERY_TIMEOUT` of the service. */
  readonly timeoutMs: number;
}

/** Starts one real endpoint for every way to fail. */
export async function startFailingEndpoints(
  platform: Platform,
  { ownerId, timeoutMs }: FailingEndpointsOptions,
): Promise<FailingEndpoints> {
  await using parts = new AsyncDisposableStack();
  const urls = [...(await tcpFailures(parts)), ...(await tlsFailures(platform, parts)), ...withoutConnection];
  const list = [
    ...urls.map(([outcome, failure, url]) => ({
      outcome,
      failure,
      subscriber: aSubscriber(platform, { ownerId, url: `${url}/private/` }),
    })),
    ...httpFailures(timeoutMs).map(([outcome, failure, answer]) => ({
      outcome,
      failure,
      subscriber: aSubscriber(platform, { ownerId, answers: [answer] }),
    })),
  ];
  const owned = parts.move();
  return { list, [Symbol.asyncDispose]: async () => owned.disposeAsync() };
}

type Failure<Where> = readonly [outcome: string, failure: string, where: Where];

const withoutConnection: readonly Failure<string>[] = [
  // Resolvers reject `.onion` without asking a name server (RFC 7686).
  ['dns_error', 'the host name does not exist', 'https://nowhere.onion'],
  ['blocked', 'the address is not public but link-local', 'https://169.254.169.254'],
  ['blocked', 'the address is not public but for private use', 'https://10.0.0.1'],
];

async function tcpFailures(parts: AsyncDisposableStack): Promise<readonly Failure<string>[]> {
  const refusing = parts.use(await reserveRefusingPort());
  const urlOf = ({ port }: { readonly port: number }): string => `https://localhost:${port}`;
  return [
    ['connect_error', 'the connection was refused', urlOf(refusing)],
    [
      'connect_error',
      'the connection was closed during the TLS handshake',
      urlOf(parts.use(await startListener(resetInHandshake))),
    ],
    ['timeout', 'TLS was not established in time', urlOf(parts.use(await startListener()))],
    [
      'timeout',
      'TLS was not established in time',
      urlOf(parts.use(await startListener((socket) => socket.once('data', () => socket.write(partOfServerHello))))),
    ],
    ['tls_error', 'what answers on this port is not TLS', urlOf(parts.use(await startListener(speakPlainHttp)))],
  ];
}

/** A TLS record that announces 122 bytes and contains two (RFC 8446, 5.1). */
const partOfServerHello = Buffer.from('160303007a0200', 'hex');

async function tlsFailures({ authority }: Platform, parts: AsyncDisposableStack): Promise<readonly Failure<string>[]> {
  const urlOf = async (identity: Identity): Promise<string> => parts.use(await startEndpoint({ identity })).url('');
  const untrusted = createAuthority('Another authority').issue();
  return [
    ['tls_error', 'the certificate has expired', await urlOf(authority.issue(expired()))],
    ['tls_error', 'the certificate is for another host', await urlOf(authority.issue({ names: ['example.com'] }))],
    ['tls_error', 'the certificate is self-signed', await urlOf(createSelfSigned())],
    [
      'tls_error',
      'the certificate is from an unknown issuer, or an intermediate certificate is missing',
      await urlOf(untrusted),
    ],
  ];
}

function httpFailures(timeoutMs: number): readonly Failure<Answer>[] {
  return [
    ['timeout', `no response within ${timeoutMs} ms`, hang()],
    ['timeout', `no response within ${timeoutMs} ms`, hangInHead()],
    ['connection_lost', 'the connection was closed before a response came', reset()],
    ['connection_lost', 'the connection was closed before a response came', disconnect()],
    ['connection_lost', 'the connection was closed within the response head', resetInHead()],
    [
      'protocol_error',
      'the response does not begin with a status line of HTTP/1.1',
      bytes('hello, who is there?\r\n\r\n'),
    ],
    [
      'protocol_error',
      'the Content-Length of the response is no number',
      bytes('HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n'),
    ],
    ['protocol_error', 'the endpoint sent more than 64 KiB before the end of the response head', largeHead(64 * 1024)],
  ];
}
