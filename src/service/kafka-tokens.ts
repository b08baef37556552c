import { TokenSource } from '../kafka/oauth/token-source.ts';
import type { TokenEvents } from '../kafka/kafka-events.ts';
import type { Clock } from '../lib/clock.ts';
import type { KafkaCredentials, KafkaSettings } from '../settings.ts';

interface TokensOptions {
  readonly settings: KafkaSettings;
  /** Read again for each request. */
  readonly credentials: { readonly current: KafkaCredentials };
  readonly events: TokenEvents;
  readonly clock: Clock;
}

/**
 * Creates the source of the tokens for Kafka. Undefined without the mechanism `oauthbearer`. The token endpoint gets no
 * request before the first connection.
 */
export function createTokenSource({ settings, credentials, events, clock }: TokensOptions): TokenSource | undefined {
  const { sasl } = settings;
  if (sasl?.mechanism !== 'oauthbearer') return undefined;
  const { tokenUrl: url, clientId, secret, scope } = sasl;
  const request: ConstructorParameters<typeof TokenSource>[0]['request'] = async () => {
    const { requestToken } = await import('../kafka/oauth/token-request.ts');
    const { loginSecret: clientSecret = secret.value, certificateAuthorities } = credentials.current;
    return requestToken({
      url,
      clientId,
      clientSecret,
      scope,
      certificateAuthorities: certificateAuthorities === undefined ? [] : [certificateAuthorities],
      nowMs: clock.now(),
      signal: new AbortController().signal,
    });
  };
  return new TokenSource({ endpoint: shownAs(url), request, events, clock });
}

/** Leaves the query out, which an identity provider might not want to be shown. */
function shownAs(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
