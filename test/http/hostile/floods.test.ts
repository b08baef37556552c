import { describe, expect, it } from 'vitest';
import * as answers from '../../support/endpoints/answers.ts';
import { startConnectProxy } from '../../support/endpoints/connect-proxy.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { ClientUnderTest, delivered, identity, startPair } from '../client-under-test.ts';
import { handshakeFloods, httpFloods, tlsFloods } from './floods.ts';

const floods = [...httpFloods, ...tlsFloods, ...handshakeFloods];

describe.each([
  ['directly', false],
  ['through a proxy', true],
])('%s, an endpoint that sends', (_title, hasProxy) => {
  it.each(floods)('$name is cut off', async ({ outcome, isExcess, start }) => {
    await using endpoint = await start(identity);
    await using proxy = await startConnectProxy();
    const proxyUrl = (): Promise<Secret> => Promise.resolve(new Secret(`http://127.0.0.1:${proxy.port}`));
    await using client = new ClientUnderTest({ timeoutMs: 60_000, proxyUrl: hasProxy ? proxyUrl : undefined });
    expect(await client.outcome({ port: endpoint.port })).toMatchObject({ kind: outcome });
    await client.open(0);
    // Only what comes after a 2xx is told apart from the outcome.
    expect(client.exceeded).toBe(isExcess && outcome === 'delivered' ? 1 : 0);
    expect(client.cut).toHaveLength(isExcess ? 1 : 0);
    expect(endpoint.connectionsOpened).toBe(1);
  });
});

it('16 interim responses are skipped, however they are cut, and 17 are too many', async () => {
  const early = 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n';
  const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
  const inBytes: answers.Answer = ({ tls }) => {
    for (const byte of Buffer.from(`HTTP/1.1 100\r\n\r\n${early}${ok}`)) tls.write(Buffer.of(byte));
  };
  const inOnePiece = (count: number): answers.Answer => answers.bytes(early.repeat(count) + ok);
  await using client = await startPair({ answers: [inOnePiece(16), inBytes, inOnePiece(17)] });
  expect(await client.outcome()).toEqual(delivered);
  expect(await client.outcome()).toEqual(delivered);
  expect(await client.outcome()).toEqual({
    kind: 'protocol_error',
    message: 'the endpoint sent more than 16 interim responses',
    hasExceeded: true,
  });
  expect(client.endpoint.connectionsOpened).toBe(1);
});
