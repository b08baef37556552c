import { describe, expect, it } from 'vitest';
import { authority, hosts, identity } from '../../http/client-under-test.ts';
import { bytes, hang, retryAfter, status } from '../../support/endpoints/answers.ts';
import { refuseTunnel, startConnectProxy } from '../../support/endpoints/connect-proxy.ts';
import { startEndpoint } from '../../support/endpoints/endpoint.ts';
import { reserveRefusingPort } from '../../support/endpoints/listeners.ts';
import { expired } from '../../support/tls/authority.ts';
import { host, tryPort } from './try-environment.ts';

/** Short, because these tests wait for them. */
const shortTimeouts = { DELIVERY_CONNECT_TIMEOUT: '1s', DELIVERY_TIMEOUT: '1500ms' };
const retried =
  'The service would retry this in 10 s, then after 1 min, 10 min, 1 h, 6 h, 24 h and 36 h, ' +
  'and then dead-letter it, because its attempts are exhausted, if each attempt ends like this one.';

describe('a webhook that accepts', () => {
  it('shows each phase with its time, and what the service would do', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [204] });
    const { code, out } = await tryPort(endpoint.port, { zone: { [host]: { a: ['127.0.0.1', '10.0.0.1'] } } });
    const [request] = await endpoint.received(1);
    expect(out).toEqual([
      `webhook: 665f1f77bcf86cd799439011 of owner 665f1f77bcf86cd799439000, https://${host}:${endpoint.port}, ` +
        'authentication bearer_token, custom headers 1',
      expect.stringMatching(
        /^sending: certificate_completed, the test certificate 7e577e577e57[\da-f]{12}, \d+ bytes$/,
      ),
      expect.stringMatching(/^ {2}name +\d+ ms {2}(?:127\.0\.0\.1, 10\.0\.0\.1|10\.0\.0\.1, 127\.0\.0\.1)$/),
      expect.stringMatching(/^ +refused: 10\.0\.0\.1, because the address is not public but for private use$/),
      expect.stringMatching(new RegExp(`^ {2}connection +\\d+ ms {2}to 127\\.0\\.0\\.1, port ${endpoint.port}$`)),
      expect.stringMatching(/^ {2}TLS +\d+ ms {2}TLSv1\.3, TLS_\w+, certificate valid until \d{4}-\S+Z, for 89 days$/),
      expect.stringMatching(`^  request +\\d+ ms  ${request?.body.length} bytes of body written$`),
      expect.stringMatching(/^ {2}response +\d+ ms {2}head read$/),
      'answer: status 204',
      expect.stringMatching(/^outcome: delivered after \d+ ms$/),
      'The service would count this as delivered, and not send it again.',
    ]);
    expect(code).toBe(0);
  });

  it('gets the request that the service sends', async () => {
    await using endpoint = await startEndpoint({ identity });
    await tryPort(endpoint.port, {
      environment: { DELIVERY_EVENT_TYPE_HEADER: 'X-Event', DELIVERY_ID_HEADER: 'X-Id', DELIVERY_USER_AGENT: 'agent' },
    });
    const [request] = await endpoint.received(1);
    expect(request).toMatchObject({ method: 'POST', path: '/private/path?place=hidden' });
    expect(request?.header('authorization')).toBe('Bearer Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA');
    expect(request?.header('content-type')).toBe('application/json');
    expect(request?.header('user-agent')).toBe('agent');
    expect(request?.header('x-event')).toBe('certificate_completed');
    expect(request?.header('x-id')).toMatch(/^try\/0\/\d+\/665f1f77bcf86cd799439011$/);
    expect(endpoint.requests).toHaveLength(1);
  });
});

describe('a webhook that does not accept', () => {
  it.each([
    ['500', status(500), 'answer: status 500', 'http_error after \\d+ ms: answered 500', [retried]],
    [
      '429 with Retry-After',
      retryAfter(429, '120'),
      'answer: status 429, Retry-After 2 min',
      'http_error after \\d+ ms: answered 429',
      [
        retried.replace('10 s, then after 1 min, 10 min, 1 h', '10 min, then after 10 min, 10 min, 1 h'),
        'Its circuit would open: for 2 min, nothing else would be sent to this endpoint.',
      ],
    ],
  ] as const)(
    'with %s ends with 1, and says when it would be retried',
    async (_, answer, answered, outcome, course) => {
      await using endpoint = await startEndpoint({ identity, answers: [answer] });
      const { code, out } = await tryPort(endpoint.port);
      expect([code, ...out.slice(-2 - course.length)]).toEqual([
        1,
        answered,
        expect.stringMatching(`^outcome: ${outcome}$`),
        ...course,
      ]);
      expect(endpoint.requests).toHaveLength(1);
    },
  );

  it('with no HTTP shows the response as not completed', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [bytes('what?\r\n\r\n')] });
    expect(await lastLines(endpoint.port)).toEqual([
      expect.stringMatching(/^ {2}response +\d+ ms {2}not completed$/),
      expect.stringMatching(/protocol_error .* does not begin with a status line of HTTP\/1\.1$/),
      retried,
    ]);
  });

  it('in time shows the response as not completed', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [hang()] });
    let lines = await lastLines(endpoint.port, { environment: shortTimeouts });
    // On a busy machine the handshake may take the whole time. Then it tries again.
    while (endpoint.requests.length === 0) lines = await lastLines(endpoint.port, { environment: shortTimeouts });
    expect(lines).toEqual([
      expect.stringMatching(/^ {2}response +\d+ ms {2}not completed$/),
      expect.stringMatching(/^outcome: timeout after \d+ ms: no response within 1500 ms$/),
      retried,
    ]);
  });
});

describe('a webhook without a connection shows the phase that failed', () => {
  it('for a certificate that has expired', async () => {
    await using endpoint = await startEndpoint({ identity: authority.issue({ names: hosts, ...expired() }) });
    expect(await lastLines(endpoint.port)).toEqual([
      expect.stringMatching(/^ {2}TLS +\d+ ms {2}failed$/),
      expect.stringMatching(/^outcome: tls_error after \d+ ms: the certificate has expired/),
      retried,
    ]);
  });

  it('for a port that refuses', async () => {
    await using refusing = await reserveRefusingPort();
    expect(await lastLines(refusing.port)).toEqual([
      expect.stringMatching(/^ {2}connection +\d+ ms {2}failed$/),
      expect.stringMatching(/^outcome: connect_error after \d+ ms: the connection was refused$/),
      retried,
    ]);
  });

  it.each([
    ['that does not exist', { a: 'nxdomain', aaaa: 'nxdomain' }, 'dns_error', 'the host name does not exist', 'failed'],
    ['that no server answers', silence, 'timeout', 'the host name was not resolved in time', 'not completed'],
  ] as const)('for a name %s', async (_, entry, outcome, message, end) => {
    const environment = entry === silence ? shortTimeouts : {};
    const options = { zone: { [host]: entry }, environment };
    expect(await lastLines(443, options)).toEqual([
      expect.stringMatching(new RegExp(`^ {2}name +\\d+ ms {2}${end}$`)),
      expect.stringMatching(new RegExp(`^outcome: ${outcome} after \\d+ ms: ${message}$`)),
      retried,
    ]);
  });

  it('for a name whose addresses the policy refuses, and connects to none', async () => {
    await using endpoint = await startEndpoint({ identity });
    const { code, out } = await tryPort(endpoint.port, { environment: { DELIVERY_ALLOWED_NETWORKS: '' } });
    expect([code, ...out.slice(-4)]).toEqual([
      1,
      expect.stringMatching(/^ {2}name +\d+ ms {2}127\.0\.0\.1$/),
      expect.stringMatching(/^ +refused: 127\.0\.0\.1, because the address is not public but a loopback address$/),
      expect.stringMatching(/^outcome: blocked after \d+ ms: the address is not public but a loopback address$/),
      retried,
    ]);
    expect(endpoint.connectionsOpened).toBe(0);
  });
});

describe.each([
  ['http', {}, ['proxy name', 'proxy connection', 'tunnel', 'TLS', 'request', 'response']],
  ['https', { identity }, ['proxy name', 'proxy connection', 'proxy TLS', 'tunnel', 'TLS', 'request', 'response']],
] as const)('through a proxy over %s', (scheme, options, expected) => {
  it('shows the way to it, and not its credentials', async () => {
    await using endpoint = await startEndpoint({ identity });
    await using proxy = await startConnectProxy({ ...options, credentials: 'user:s3cret-of-proxy' });
    const environment = { DELIVERY_PROXY_URL: `${scheme}://user:s3cret-of-proxy@127.0.0.1:${proxy.port}` };
    const { code, out } = await tryPort(endpoint.port, { environment });
    expect(out[2]).toBe(
      `note: through the proxy ${scheme}://127.0.0.1:${proxy.port}, which resolves the name and decides about addresses`,
    );
    expect(phasesIn(out)).toEqual(expected);
    expect(code).toBe(0);
    expect(out.join('\n')).not.toContain('s3cret');
    expect(proxy.targets).toEqual([`${host}:${endpoint.port}`]);
  });

  it('says that it is the fault of this side if the proxy refuses us', async () => {
    await using proxy = await startConnectProxy({ ...options, answer: refuseTunnel(407, 'Proxy-Authenticate: Basic') });
    const environment = { DELIVERY_PROXY_URL: `${scheme}://127.0.0.1:${proxy.port}` };
    const { code, out } = await tryPort(443, { environment });
    expect([code, phasesIn(out).at(-1), ...out.slice(-2)]).toEqual([
      1,
      'tunnel',
      expect.stringMatching(/^outcome: local_error .*: the proxy asks for a user name and a password$/),
      'The fault is on this side, so the service would count no attempt. It would try again in 10 s, ' +
        'then after 1 min, 10 min, 1 h, 6 h, 24 h and 36 h, ' +
        'and then dead-letter it, because it is too old by then, if each attempt ends like this one.',
    ]);
  });
});

describe('a signal', () => {
  it('ends the request', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [hang()] });
    const stop = new AbortController();
    const tried = tryPort(endpoint.port, { signal: stop.signal });
    await endpoint.received(1);
    stop.abort(new Error('stopped'));
    await expect(tried).rejects.toThrow('stopped');
  });
});

const silence = { a: 'silence', aaaa: 'silence' } as const;

/** Returns the last three lines for a webhook that does not accept. */
async function lastLines(...args: Parameters<typeof tryPort>): Promise<readonly string[]> {
  const { code, out } = await tryPort(...args);
  expect(code).toBe(1);
  return out.slice(-3);
}

function phasesIn(out: readonly string[]): readonly string[] {
  return out.flatMap((line) => /^ {2}(?<name>\S+(?: \S+)?) +\d+ ms /.exec(line)?.groups?.['name'] ?? []);
}
