import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createConnector, type Route } from '../../../src/http/connector.ts';
import { BlockedError, CodedError, RequestError } from '../../../src/http/request-error.ts';
import { HandshakeOfferError } from '../../../src/http/tls/tls-dialer.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

const target = { host: 'hooks.test', port: 443 };

/** Connects by this route, with a timeout of one second. */
function connectBy(route: Route, opening = new AbortController()) {
  const clock = new ManualClock();
  const connected = createConnector({ connectTimeoutMs: 1000, route, clock })(target, opening);
  connected.catch(() => undefined);
  return { clock, connected };
}

/** A route that ends only when its signal is aborted. */
const endless: Route = async (_target, { signal, onPhase }) => {
  onPhase('connect');
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
};

it('ends after the timeout of the whole route, and names the phase', async () => {
  const { clock, connected } = connectBy(endless);
  await clock.advance(1000);
  await expect(connected).rejects.toMatchObject({ phase: 'connect', code: 'CONNECT_TIMEOUT' });
  expect(clock.pending).toBe(0);
});

it.each(['before', 'after'])('ends when its caller aborts, %s it begins', async (when) => {
  const caller = new AbortController();
  if (when === 'before') caller.abort(new CodedError('CLOSED'));
  const { clock, connected } = connectBy(endless, caller);
  if (when === 'after') caller.abort(new CodedError('CLOSED'));
  await expect(connected).rejects.toMatchObject({ phase: 'connect', code: 'CLOSED' });
  expect(clock.pending).toBe(0);
});

it('fails in the first phase if none has begun', async () => {
  const { connected } = connectBy(() => Promise.reject(new CodedError('CLOSED')));
  await expect(connected).rejects.toMatchObject({ phase: 'lookup', code: 'CLOSED' });
});

it('lets the refusal of an address through as it is', async () => {
  const refusal = new BlockedError('not public');
  await expect(connectBy(() => Promise.reject(refusal)).connected).rejects.toBe(refusal);
});

/** A route whose first handshakes fail for what they offer. `made` counts them. */
function failing(failures: number) {
  const route = {
    made: 0,
    take: (async () => {
      route.made += 1;
      if (route.made > failures) throw new CodedError('CLOSED');
      throw new HandshakeOfferError('reset', { cause: new CodedError('CONNECTION_GONE') });
    }) satisfies Route,
  };
  return route;
}

it.each([
  { failures: 0, attempts: 1, code: 'CLOSED' },
  { failures: 1, attempts: 2, code: 'CLOSED' },
  { failures: 2, attempts: 2, code: 'CONNECTION_GONE' },
])('tries a smaller offer once after $failures handshakes that fail for what they offer', async (expected) => {
  const route = failing(expected.failures);
  await expect(connectBy(route.take).connected).rejects.toMatchObject({ code: expected.code });
  expect(route.made).toBe(expected.attempts);
});

it('tries nothing else once it is aborted', async () => {
  const caller = new AbortController();
  const route = failing(2);
  const aborting: Route = async () => {
    caller.abort();
    return route.take();
  };
  await expect(connectBy(aborting, caller).connected).rejects.toBeInstanceOf(RequestError);
  expect(route.made).toBe(1);
});
