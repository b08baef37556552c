import type { Logger } from 'pino';
import type { Kafka, KafkaOptions, KafkaPurpose, KafkaSasl, KafkaTls } from '../kafka/client/kafka.ts';
import { createKafka } from '../kafka/kafkajs/create-kafka.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import { initialKafkaCredentials, type KafkaCredentials, type KafkaSettings, type Settings } from '../settings.ts';
import { TokenSource } from '../kafka/oauth/token-source.ts';
import { createSampledWarnings } from '../telemetry/events/event-sinks.ts';
import type { TokenEvents } from '../kafka/kafka-events.ts';

/** The credentials in use. They are read again for each connection and each authentication. */
export interface CurrentCredentials {
  readonly current: KafkaCredentials;
}

export interface KafkaLogin {
  readonly credentials: CurrentCredentials;
  /** Undefined without the mechanism `oauthbearer`. */
  readonly tokens: TokenSource | undefined;
}

/** The part of a logger that receives a client's messages. */
type ClientLogger = Pick<Logger, 'debug' | 'warn'>;

/** Discards the messages. Commands print failed requests themselves, and so need not load pino. */
export const silentLogger: ClientLogger = { debug: () => undefined, warn: () => undefined };

/** Creates a client with the connection settings. Its log messages become `kafka.client_log`. */
export function createClient(
  purpose: KafkaPurpose,
  { kafka }: Settings,
  logger: ClientLogger,
  /** Defaults to the credentials that were read at start. Pass a watch to use changed files. */
  login: KafkaLogin = initialLogin(kafka),
): Kafka & Disposable {
  const { brokers, clientId, tls } = kafka;
  const { credentials } = login;
  return createKafka({
    purpose,
    brokers,
    clientId,
    tls: tls.enabled ? () => pemOf(credentials.current) : undefined,
    sasl: saslOf(kafka, login),
    log: relayTo(logger),
  });
}

function initialLogin(settings: KafkaSettings): KafkaLogin {
  const credentials = { current: initialKafkaCredentials(settings) };
  const events = { tokenFetched: () => undefined, tokenFailed: () => undefined };
  return { credentials, tokens: createTokenSource({ settings, credentials, events, clock: systemClock }) };
}

function saslOf({ sasl }: KafkaSettings, { credentials, tokens }: KafkaLogin): KafkaSasl | undefined {
  if (tokens !== undefined) return { mechanism: 'oauthbearer', tokens };
  if (sasl === undefined || sasl.mechanism === 'oauthbearer') return undefined;
  const { mechanism, username, secret } = sasl;
  return { mechanism, username, password: () => credentials.current.loginSecret ?? secret.value };
}

function pemOf({ certificateAuthorities, clientCertificate }: KafkaCredentials): KafkaTls {
  return { ca: certificateAuthorities, cert: clientCertificate?.chain, key: clientCertificate?.key.reveal() };
}

/** Samples the client's warnings. Our own events cover everything that an operator must know. */
function relayTo(logger: ClientLogger): KafkaOptions['log'] {
  const warn = createSampledWarnings(logger, systemClock);
  return ({ level, message, details }) => {
    const line = { event: 'kafka.client_log', message, details };
    if (level === 'warn') warn(line.event, line);
    else logger.debug(line);
  };
}

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
