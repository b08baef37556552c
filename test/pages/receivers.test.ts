import { describe, expect, it } from 'vitest';
import { identity } from '../http/client-under-test.ts';
import { aCertificateDocument, authentications } from '../support/builders.ts';
import { isDeclaredAnswer } from '../support/contracts/openapi-checks.ts';
import { needs } from '../support/programs/needs.ts';
import { startReceiver, type Receiver, type ReceiverName } from './support/receiver.ts';
import { Sender } from '../docs/support/sender.ts';

/** The entries of a subscriber's credentials file. */
const [bearer, apiKey] = ['Authorization: Bearer Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA', 'X-API-Key: Key-8d1f0c5b7a9e4632'];

const completed = aCertificateDocument({ expires: null });
const expired = aCertificateDocument({ expires: '2026-03-14T09:26:53.589Z' });

describe('receiver.mjs', () => {
  testReceiver('receiver.mjs');
});
describe('receiver.py', needs('python'), () => {
  testReceiver('receiver.py');
});

function testReceiver(name: ReceiverName): void {
  it('refuses a request without a credential, even if its own file holds none', async () => {
    await using receiver = await start(name, 'Authorization:');
    await using sender = new Sender(receiver);
    expect(await sender.deliver(completed, { auth: authentications.none })).toMatchObject({ status: 401 });
  });

  it('accepts the old and the new credential during a rotation', async () => {
    await using receiver = await start(name, 'X-API-Key: the old one', apiKey);
    await using sender = new Sender(receiver);
    const old = { authType: 'api_key', token: 'the old one' };
    expect(await sender.deliver(completed, { auth: old })).toMatchObject({ status: 204 });
    expect(await sender.deliver(completed, { auth: authentications.api_key })).toMatchObject({ status: 204 });
  });

  it('stores a repeated delivery once, and answers both times alike', async () => {
    await using receiver = await start(name);
    await using sender = new Sender(receiver);
    const outcomes = [await sender.deliver(completed), await sender.deliver(completed)];
    expect(outcomes).toEqual([
      { kind: 'delivered', status: 204 },
      { kind: 'delivered', status: 204 },
    ]);
    expect(receiver.stored()).toEqual([{ id: completed['_id'], event: 'certificate_completed', body: completed }]);
  });

  it('answers 413 to a body of 4 MiB, and accepts the next request', async () => {
    await using receiver = await start(name);
    await using sender = new Sender(receiver);
    const large = { ...completed, filling: 'x'.repeat(4 * 1024 * 1024) };
    expect(await sender.deliver(large)).toMatchObject({ kind: 'http_error', status: 413 });
    expect(await sender.deliver(completed)).toMatchObject({ status: 204 });
    expect(receiver.stored()).toHaveLength(1);
  });

  it('answers as the OpenAPI document declares', async () => {
    await using receiver = await start(name);
    await using sender = new Sender(receiver);
    const outcomes = [
      await sender.deliver(completed),
      await sender.deliver(completed, { auth: authentications.none }),
      await sender.deliver(Buffer.from('{"_id":')),
      await sender.deliver(Buffer.alloc(4 * 1024 * 1024)),
    ];
    receiver.breakDatabase();
    outcomes.push(await sender.deliver(completed));
    const statuses = outcomes.map((outcome) => ('status' in outcome ? outcome.status : undefined));
    expect(statuses).toEqual([204, 401, 400, 413, 500]);
    expect(statuses.filter((status) => status !== undefined && !isDeclaredAnswer(status))).toEqual([]);
  });

  it('keeps what it stored when it is killed, and does not store it again', async () => {
    await using receiver = await start(name);
    await using sender = new Sender(receiver);
    await sender.deliver(completed);
    await receiver.restart();
    await sender.deliver(completed);
    await sender.deliver(expired);
    expect(receiver.stored()).toHaveLength(2);
  });
}

function start(name: ReceiverName, ...credentials: readonly string[]): Promise<Receiver> {
  return startReceiver(name, {
    identity,
    credentials: credentials.length === 0 ? [bearer] : credentials,
  });
}
