import { describe, expect, it } from 'vitest';
import { renewAfter, TokenSource, TokenUnavailableError } from '../../../src/kafka/oauth/token-source.ts';
import type { TokenAnswer } from '../../../src/kafka/oauth/token-request.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

const endpoint = 'https://idp.example.com/token';
const refusal: TokenAnswer = { kind: 'failed', reason: 'answers 401 invalid_client' };
const lifeMs = 600_000;

function tokenNamed(name: string, life = lifeMs): TokenAnswer {
  return { kind: 'token', value: new Secret(name), lifeMs: life };
}

/** A source whose requests a test answers in order. */
function scripted() {
  const clock = new ManualClock();
  const waiting: ((answer: TokenAnswer) => void)[] = [];
  const emitted: unknown[] = [];
  let asked = 0;
  const source = new TokenSource({
    endpoint,
    clock,
    request: () => {
      asked += 1;
      const { promise, resolve } = Promise.withResolvers<TokenAnswer>();
      waiting.push(resolve);
      return promise;
    },
    events: { tokenFetched: (line) => void emitted.push(line), tokenFailed: (line) => void emitted.push(line) },
  });
  const answer = (given: TokenAnswer): void => waiting.shift()?.(given);
  const next = async (given: TokenAnswer): Promise<string> => {
    const token = source.token();
    answer(given);
    return (await token).reveal();
  };
  return { source, clock, emitted, answer, next, asked: () => asked };
}

describe('TokenSource', () => {
  it('asks once for all that wait, and not again until 80 % of the life has passed', async () => {
    const { source, clock, answer, next, asked } = scripted();
    const both = Promise.all([source.token(), source.token()]);
    answer(tokenNamed('one'));
    expect((await both).map((token) => token.reveal())).toEqual(['one', 'one']);
    await clock.advance(lifeMs * 0.8 - 1);
    expect((await source.token()).reveal()).toBe('one');
    expect(asked()).toBe(1);
    await clock.advance(1);
    expect(await next(tokenNamed('two'))).toBe('two');
    expect(asked()).toBe(2);
  });

  it('returns the token in use while the endpoint fails, until the token ends', async () => {
    const { source, clock, next, emitted } = scripted();
    await next(tokenNamed('one'));
    await clock.advance(lifeMs - 1);
    expect(await next(refusal)).toBe('one');
    expect(source.missing()).toEqual([]);
    expect(emitted.at(-1)).toEqual({ endpoint, reason: refusal.kind === 'failed' && refusal.reason, validForMs: 1 });
    await clock.advance(1_000);
    const failed = next(refusal);
    await expect(failed).rejects.toThrow(TokenUnavailableError);
    await expect(failed).rejects.toThrow(`no token, because ${endpoint} answers 401 invalid_client`);
    expect(source.missing()).toEqual([`a token: ${endpoint} answers 401 invalid_client`]);
  });

  it('waits at most two seconds for a new token while the one in use is valid, and uses it later', async () => {
    const { source, clock, next, answer } = scripted();
    await next(tokenNamed('one'));
    await clock.advance(lifeMs * 0.9);
    const token = source.token();
    await clock.advance(2_000);
    expect((await token).reveal()).toBe('one');
    answer(tokenNamed('two'));
    await clock.advance(0);
    expect((await source.token()).reveal()).toBe('two');
  });

  it('waits for half of what is left of a token that ends soon', async () => {
    const { source, clock, next } = scripted();
    await next(tokenNamed('one', 10_000));
    await clock.advance(9_000);
    const token = source.token();
    await clock.advance(500);
    expect((await token).reveal()).toBe('one');
  });

  it('asks at most once a second while the endpoint fails, and tells when it is back', async () => {
    const { source, clock, next, emitted, asked } = scripted();
    await expect(next(refusal)).rejects.toThrow('invalid_client');
    await clock.advance(999);
    await expect(source.token()).rejects.toThrow('invalid_client');
    expect(asked()).toBe(1);
    await clock.advance(1);
    expect(await next(tokenNamed('one'))).toBe('one');
    expect(emitted.at(-1)).toEqual({ endpoint, lifeMs, recovered: true });
    expect(source.missing()).toEqual([]);
  });

  it('replaces a token that a broker refused, unless it has just been issued', async () => {
    const { source, clock, next, asked } = scripted();
    await next(tokenNamed('one'));
    source.refused(await source.token());
    expect((await source.token()).reveal()).toBe('one');
    await clock.advance(10_000);
    source.refused(new Secret('an earlier one'));
    expect((await source.token()).reveal()).toBe('one');
    source.refused(await source.token());
    expect(await next(tokenNamed('two'))).toBe('two');
    expect(asked()).toBe(2);
  });

  it('never shows a token', async () => {
    const { source, emitted, next } = scripted();
    await next(tokenNamed('eyJ-hush'));
    expect(JSON.stringify([emitted, source])).not.toContain('hush');
  });
});

describe('renewAfter', () => {
  it.each([
    { life: 3_600_000, after: 2_880_000 },
    { life: 60_000, after: 48_000 },
    { life: 45_000, after: 33_000 },
    { life: 10_000, after: 6_000 },
  ])('renews a token with a life of $life ms after $after ms', ({ life, after }) => {
    expect(renewAfter(life)).toBe(after);
  });

  it('is before each time at which a connection authenticates again', () => {
    for (let life = 1_000; life < 120_000; life += 500)
      expect(renewAfter(life)).toBeLessThan(life - Math.min(10_000, life / 3));
  });
});
