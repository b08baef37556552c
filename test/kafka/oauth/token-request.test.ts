import { describe, expect, it } from 'vitest';
import { requestToken } from '../../../src/kafka/oauth/token-request.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { tokenRemedy } from '../../../src/telemetry/events/kafka-remedy.ts';
import { createAuthority, expired, type Identity } from '../../support/tls/authority.ts';
import { startIdentityProvider, type IdentityProvider } from '../../support/tls/identity-provider.ts';

const authority = createAuthority();

async function providerWith(identity: Identity): Promise<IdentityProvider> {
  return startIdentityProvider({
    identity,
    clientId: 'hooks',
    clientSecret: 'hush',
    audience: 'kafka',
    lifeSeconds: 300,
  });
}

async function ask(provider: IdentityProvider, changes: Partial<Parameters<typeof requestToken>[0]> = {}) {
  return requestToken({
    url: provider.tokenUrl,
    clientId: 'hooks',
    clientSecret: new Secret('hush'),
    scope: 'kafka read',
    certificateAuthorities: [authority.certificate],
    nowMs: Date.now(),
    signal: new AbortController().signal,
    ...changes,
  });
}

describe('requestToken', () => {
  it('sends the grant and the scopes as a form, and the client with HTTP Basic', async () => {
    await using provider = await providerWith(authority.issue());
    expect(await ask(provider)).toMatchObject({ kind: 'token', lifeMs: 300_000 });
    expect(provider.requests).toEqual([
      {
        authorization: `Basic ${Buffer.from('hooks:hush').toString('base64')}`,
        form: { grant_type: 'client_credentials', scope: 'kafka read' },
      },
    ]);
    await ask(provider, { scope: undefined });
    expect(provider.requests.at(-1)?.form).toEqual({ grant_type: 'client_credentials' });
  });

  it('encodes client and secret as form values', async () => {
    await using provider = await providerWith(authority.issue());
    await ask(provider, { clientId: 'a:b', clientSecret: new Secret('ü +%') });
    const encoded = Buffer.from('a%3Ab:%C3%BC+%2B%25').toString('base64');
    expect(provider.requests.at(-1)?.authorization).toBe(`Basic ${encoded}`);
  });

  it('names the client in the remedy if it is refused', async () => {
    await using provider = await providerWith(authority.issue());
    const answer = await ask(provider, { clientSecret: new Secret('wrong') });
    expect(answer).toEqual({ kind: 'failed', reason: 'answers 401 invalid_client' });
    expect(tokenRemedy('answers 401 invalid_client')).toContain('KAFKA_OAUTH_CLIENT_SECRET');
  });

  it.each([
    { what: 'an unknown authority', identity: createAuthority('another').issue(), remedy: 'KAFKA_TLS_CA_FILE' },
    { what: 'an expired certificate', identity: authority.issue(expired()), remedy: 'renew it' },
    {
      what: 'another name',
      identity: authority.issue({ names: ['other.example.com'] }),
      remedy: 'KAFKA_OAUTH_TOKEN_URL',
    },
  ])('refuses an endpoint with $what, and sends nothing', async ({ identity, remedy }) => {
    await using provider = await providerWith(identity);
    const answer = await ask(provider);
    expect(answer.kind === 'failed' && tokenRemedy(answer.reason)).toContain(remedy);
    expect(provider.requests).toEqual([]);
  });

  it('refuses an answer of more than 64 KiB', async () => {
    await using provider = await providerWith(authority.issue());
    provider.behaviour = { kind: 'answer', status: 200, body: ' '.repeat(65_537) };
    expect(await ask(provider)).toEqual({
      kind: 'failed',
      reason: 'cannot be reached: the answer has more than 65536 bytes',
    });
  });

  it('ends when it is aborted, and when nobody listens', async () => {
    await using provider = await providerWith(authority.issue());
    provider.behaviour = { kind: 'silence' };
    const stop = new AbortController();
    const answer = ask(provider, { signal: stop.signal });
    stop.abort();
    expect((await answer).kind).toBe('failed');
    await provider.stop();
    expect(await ask(provider)).toMatchObject({ reason: expect.stringContaining('ECONNREFUSED') });
  });
});
