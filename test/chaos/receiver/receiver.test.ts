import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../support/tls/authority.ts';
import type { Behaviour } from './messages.ts';
import { startReceiver, type Receiver } from './receiver.ts';

const authority = createAuthority();
const start = async (behaviour: Behaviour, respondAfterMs = 0): Promise<Receiver> =>
  startReceiver({ identity: authority.issue(), endpoints: [behaviour], respondAfterMs });

function post(receiver: Receiver, deliveryId: string): ClientRequest {
  const headers = { 'x-delivery-id': deliveryId, connection: 'close' };
  const sent = request(receiver.url('/hook'), { method: 'POST', headers, ca: authority.certificate });
  sent.end(JSON.stringify({ _id: 'certificate' }));
  return sent;
}

async function statusOf(sent: ClientRequest): Promise<number | undefined> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.destroy();
  return response.statusCode;
}

describe('the receiver', () => {
  it('reports each request, and whether it was accepted', async () => {
    await using receiver = await start('healthy');
    expect(await statusOf(post(receiver, 'first'))).toBe(200);
    await receiver.behave(0, 'error');
    expect(await statusOf(post(receiver, 'second'))).toBe(503);
    await receiver.report();
    expect(receiver.requests).toEqual([
      { deliveryId: 'first', certificateId: 'certificate', at: expect.any(Number), accepted: true },
      { deliveryId: 'second', certificateId: 'certificate', at: expect.any(Number), accepted: false },
    ]);
    expect([...receiver.accepted]).toEqual(['first']);
  });

  it('refuses each delivery once with fail_first', async () => {
    await using receiver = await start('fail_first');
    const statuses = [];
    for (const id of ['first', 'second', 'first', 'second']) statuses.push(await statusOf(post(receiver, id)));
    expect(statuses).toEqual([503, 503, 200, 200]);
  });

  it('counts a response that hangs in its body as accepted, since its head was sent', async () => {
    await using receiver = await start('hang_in_body');
    expect(await statusOf(post(receiver, 'first'))).toBe(200);
    await receiver.report();
    expect(receiver.accepted.has('first')).toBe(true);
  });

  it('accepts no request whose connection is closed before the response', async () => {
    await using receiver = await start('healthy', 200);
    expect(await statusOf(post(receiver, 'first'))).toBe(200);
    const sent = post(receiver, 'second');
    const ended = once(sent, 'error');
    // The whole request is sent, and the connection is closed before the response.
    await once(sent, 'finish');
    await receiver.behave(0, 'refuse');
    await ended;
    await receiver.behave(0, 'healthy');
    // This response is later than the second one would have been.
    expect(await statusOf(post(receiver, 'third'))).toBe(200);
    await receiver.report();
    expect([...receiver.accepted]).toEqual(['first', 'third']);
  });

  it.each([
    ['refuse', 'ECONNREFUSED', 0],
    ['reset', 'ECONNRESET', 1],
    ['garbage', 'HPE_INVALID_CONSTANT', 1],
  ] as const)('with %s, a request fails with %s', async (behaviour, code, received) => {
    await using receiver = await start(behaviour);
    const [error] = (await once(post(receiver, 'first'), 'error')) as [NodeJS.ErrnoException];
    await receiver.report();
    expect({ code: error.code, received: receiver.requests.length }).toEqual({ code, received });
    expect(receiver.accepted.size).toBe(0);
    await receiver.behave(0, 'healthy');
    expect(await statusOf(post(receiver, 'first'))).toBe(200);
  });

  it.each(['hang_before_tls', 'hang_in_tls', 'hang_before_head', 'hang_in_head'] as const)(
    'with %s, a request gets no response until the connection is closed',
    async (behaviour) => {
      const receiver = await start(behaviour);
      const sent = post(receiver, 'first');
      const ended = once(sent, 'error');
      let responded = false;
      sent.on('response', () => (responded = true));
      await once(sent, 'socket');
      await receiver.report();
      await receiver[Symbol.asyncDispose]();
      await ended;
      expect({ responded, accepted: receiver.accepted.size }).toEqual({ responded: false, accepted: 0 });
    },
  );
});
