import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { ReceivedBytes, ReceiveWatch, type ReceiveLimit } from '../../../src/http/tls/received-bytes.ts';

const maxBytes = 1000;

/** Counts on a connection that is not open. A test says how many bytes its transport has read. */
function start(limit = maxBytes) {
  let bytesRead = 0;
  const transport = Object.defineProperty(new Socket(), 'bytesRead', { get: () => bytesRead });
  const socket = new TLSSocket(transport);
  const errors: unknown[] = [];
  socket.on('error', ({ message }: Error) => errors.push(message));
  const exceeded: ReceiveLimit[] = [];
  const onExceeded = (one: ReceiveLimit): void => void exceeded.push(one);
  const received = new ReceivedBytes({ transport, socket, maxBytes: limit, watch: new ReceiveWatch(), onExceeded });
  const read = (bytes: number): void => {
    bytesRead += bytes;
  };
  return { received, exceeded, socket, errors, read };
}

describe('the bytes received on a connection', () => {
  it('may be as many as the limit, and no more', () => {
    const { received, exceeded } = start();
    expect([received.takeContent(maxBytes), received.takeContent(1)]).toEqual([true, false]);
    expect(exceeded).toEqual(['bytes']);
    expect(received.isExceeded).toBe(true);
  });

  it.each([
    { handshake: 32 * 1024, isSmall: true, limits: [] },
    { handshake: 32 * 1024 + 1, isSmall: false, limits: ['bytes'] },
  ])('may be $handshake in the handshake: $isSmall', ({ handshake, isSmall, limits }) => {
    const { received, exceeded, read } = start(64 * 1024);
    read(handshake);
    expect([received.handshakeEnded(), exceeded]).toEqual([isSmall, limits]);
  });

  it('count the handshake and the content together', () => {
    const { received, exceeded, read } = start();
    read(600);
    received.handshakeEnded();
    expect([received.takeContent(400), received.takeContent(1)]).toEqual([true, false]);
    expect(exceeded).toEqual(['bytes']);
  });

  it('are limited in the transport as well, which may read ahead of the content', () => {
    const { received, exceeded, read } = start();
    read(maxBytes + 64 * 1024);
    received.checkTransport();
    expect(exceeded).toEqual([]);
    read(1);
    expect(received.takeContent(1)).toBe(false);
    expect(exceeded).toEqual(['bytes']);
  });

  it('are counted again for the next exchange', () => {
    const { received, exceeded, read } = start();
    for (let exchange = 0; exchange < 100; exchange += 1) {
      read(maxBytes);
      expect(received.takeContent(maxBytes)).toBe(true);
      for (let count = 0; count < 32; count += 1) received.countSideMessage();
      received.renew();
    }
    expect(exceeded).toEqual([]);
  });

  it.each<readonly [ReceiveLimit, string]>([
    ['bytes', 'TOO_MANY_BYTES'],
    ['records', 'TOO_MANY_RECORDS'],
    ['interim_responses', 'TOO_MANY_INTERIM_RESPONSES'],
  ])('close the connection once when they exceed %s, with the code %s', async (limit, code) => {
    const { received, exceeded, socket, errors } = start();
    received.exceed(limit);
    received.exceed('bytes');
    await new Promise((resolve) => socket.once('close', resolve));
    expect([exceeded, errors]).toEqual([[limit], [code]]);
  });

  it('may be any number without a limit', () => {
    const { received, exceeded, read } = start(Number.POSITIVE_INFINITY);
    read(1e6);
    expect([received.handshakeEnded(), received.takeContent(1e12)]).toEqual([true, true]);
    received.exceed('bytes');
    expect(exceeded).toEqual([]);
  });
});

describe('small records on a connection', () => {
  /** Returns how many times `take` can be called until a limit is exceeded. */
  function countUntilExceeded(take: (received: ReceivedBytes) => void): readonly [count: number, limit: unknown] {
    const { received, exceeded } = start(1e9);
    let count = 0;
    while (exceeded.length === 0 && count < 100_000) {
      take(received);
      count += 1;
    }
    return [count, exceeded[0]];
  }

  it('are limited in number, pieces of content and side messages each', () => {
    expect(countUntilExceeded((received) => received.takeContent(1))).toEqual([1025, 'records']);
    expect(countUntilExceeded((received) => received.countSideMessage())).toEqual([33, 'records']);
  });
});
