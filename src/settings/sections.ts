import type { PortRange } from '../lib/port-range.ts';
import type { Secret } from '../lib/secret.ts';
import type { EffectiveGroup } from './effective-settings.ts';
import type { CertificateTopic, StartPosition, WebhookSource } from './kinds/kafka-kinds.ts';
import type { HostAndPort } from './kinds/network-kinds.ts';
import type { Values } from './variables.ts';

/** The parsed and checked settings, grouped by topic. */
export interface Settings {
  readonly kafka: KafkaSettings;
  readonly certificates: {
    readonly topics: readonly CertificateTopic[];
    /** The start position in topics without committed offsets. Undefined if it is not configured. */
    readonly start: StartPosition | undefined;
  };
  readonly schemaRegistry: SchemaRegistrySettings | undefined;
  readonly webhooks: WebhookSettings;
  readonly intake: {
    readonly maxRecords: number;
    readonly maxBytes: number;
    /** The largest value of a record after decompression. */
    readonly maxRecordBytes: number;
    /** In offsets of one partition. */
    readonly maxSpan: number;
  };
  readonly retry: {
    readonly topicPrefix: string;
    /** One delay for each tier, strictly ascending. */
    readonly delaysMs: readonly number[];
  };
  readonly deadLetters: { readonly topic: string };
  readonly results: { readonly topic: string | undefined };
  readonly handoff: { readonly compression: Values['HANDOFF_COMPRESSION'] };
  readonly delivery: DeliverySettings;
  readonly egress: EgressSettings;
  readonly circuit: { readonly failures: number; readonly cooldownMs: number };
  readonly http: HostAndPort;
  /** The host resolves to the addresses of all instances. */
  readonly endpointsOf: HostAndPort | undefined;
  readonly log: { readonly level: Values['LOG_LEVEL']; readonly deliveries: Values['LOG_DELIVERIES'] };
  readonly shutdown: { readonly graceMs: number };
  /** All settings as text for people, without secrets. */
  readonly effective: readonly EffectiveGroup[];
}

export interface KafkaSettings {
  /** Each is `host:port`, with an IPv6 address in brackets. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly groupId: string;
  readonly tls: TlsSettings | undefined;
  readonly sasl: SaslSettings | undefined;
  readonly sessionTimeoutMs: number;
}

export interface TlsSettings {
  /** PEM. Undefined means the public authorities. */
  readonly certificateAuthorities: string | undefined;
  /** `chain` is PEM: the certificate followed by its chain. */
  readonly clientCertificate: { readonly chain: string; readonly key: Secret } | undefined;
  /** The paths of these files. `readKafkaCredentials` reads them again. */
  readonly files: {
    readonly certificateAuthorities: string | undefined;
    readonly chain: string | undefined;
    readonly key: string | undefined;
  };
}

export type SaslSettings = PasswordSettings | OAuthSettings;

interface PasswordSettings {
  readonly mechanism: Exclude<NonNullable<Values['KAFKA_SASL_MECHANISM']>, 'oauthbearer'>;
  readonly username: string;
  /** The password. */
  readonly secret: SecretSetting;
}

/** The client credentials of an identity provider (RFC 6749, section 4.4). */
export interface OAuthSettings {
  readonly mechanism: 'oauthbearer';
  /** Normalized by the WHATWG parser. */
  readonly tokenUrl: string;
  readonly clientId: string;
  /** The client secret. */
  readonly secret: SecretSetting;
  /** Scopes separated by spaces. */
  readonly scope: string | undefined;
}

export interface SchemaRegistrySettings {
  /** Addresses of the same registry, without a trailing slash. */
  readonly urls: readonly string[];
  readonly credentials: { readonly username: string; readonly password: SecretSetting } | undefined;
  /** PEM. They are trusted in addition to the public authorities. */
  readonly certificateAuthorities: string | undefined;
}

interface WebhookSettings {
  readonly source: WebhookSource;
  /** The path of a JWK set, checked at start. Its users read it again when it changes. */
  readonly keysFile: string | undefined;
  readonly requireSealed: boolean;
}

export interface DeliverySettings {
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxInFlight: number;
  readonly maxInFlightPerEndpoint: number;
  readonly maxWaitingPerEndpoint: number;
  readonly maxIdleConnections: number;
  readonly maxAgeMs: number;
  readonly userAgent: string | undefined;
  /** A header name. */
  readonly eventTypeHeader: string | undefined;
  /** A header name. */
  readonly idHeader: string | undefined;
}

export interface EgressSettings {
  readonly allowedPorts: readonly PortRange[];
  /** In CIDR notation. */
  readonly allowedNetworks: readonly string[];
  /** PEM. They are trusted in addition to the public authorities. */
  readonly certificateAuthorities: string | undefined;
  /** An `http:` or `https:` URL with its credentials. */
  readonly proxyUrl: SecretSetting | undefined;
}

/** A secret, and the file that it may change in. */
export interface SecretSetting {
  /** The value read at start. */
  readonly value: Secret;
  /** The file that it was read from. `readSecretFile` reads it again. */
  readonly file: string | undefined;
}
