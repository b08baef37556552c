import type { PortRange } from '../lib/port-range.ts';
import type { Secret } from '../lib/secret.ts';
import type { EffectiveGroup } from './effective-settings.ts';
import type { CertificateTopic, StartPosition, WebhookSource } from './kinds/kafka-kinds.ts';
import type { Values } from './variables.ts';

/** What the environment says, parsed and checked. */
export interface Settings {
  readonly kafka: KafkaSettings;
  readonly certificates: {
    readonly topics: readonly CertificateTopic[];
    /** Undefined: nobody has said where to begin in a topic without commits. */
    readonly start: StartPosition | undefined;
  };
  readonly schemaRegistry: SchemaRegistrySettings | undefined;
  readonly webhooks: WebhookSettings;
  readonly intake: {
    readonly maxRecords: number;
    readonly maxBytes: number;
    /** Offsets of one partition. */
    readonly maxSpan: number;
  };
  readonly retry: {
    readonly topicPrefix: string;
    /** One a tier, strictly ascending. */
    readonly delaysMs: readonly number[];
  };
  readonly deadLetters: { readonly topic: string };
  readonly handoff: { readonly compression: Values['HANDOFF_COMPRESSION'] };
  readonly delivery: DeliverySettings;
  readonly egress: EgressSettings;
  readonly circuit: { readonly failures: number; readonly cooldownMs: number };
  readonly http: { readonly host: string; readonly port: number };
  readonly log: { readonly level: Values['LOG_LEVEL'] };
  readonly shutdown: { readonly graceMs: number };
  /** All of it once more, for people: no secret is in it. */
  readonly effective: readonly EffectiveGroup[];
}

export interface KafkaSettings {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly groupId: string;
  readonly tls: TlsSettings | undefined;
  readonly sasl: SaslSettings | undefined;
  readonly sessionTimeoutMs: number;
}

export interface TlsSettings {
  /** PEM. Undefined: the public ones. */
  readonly certificateAuthorities: string | undefined;
  /** PEM, the certificate with its chain. */
  readonly clientCertificate: { readonly chain: string; readonly key: Secret } | undefined;
  /** Where these came from, for `readKafkaCredentials` when that changes. */
  readonly files: {
    readonly certificateAuthorities: string | undefined;
    readonly chain: string | undefined;
    readonly key: string | undefined;
  };
}

export interface SaslSettings {
  readonly mechanism: NonNullable<Values['KAFKA_SASL_MECHANISM']>;
  readonly username: string;
  readonly password: GivenSecret;
}

export interface SchemaRegistrySettings {
  /** Of one and the same registry, without a slash at the end. */
  readonly urls: readonly string[];
  readonly credentials: { readonly username: string; readonly password: GivenSecret } | undefined;
  /** PEM, to be added to the public ones. */
  readonly certificateAuthorities: string | undefined;
}

export interface WebhookSettings {
  readonly source: WebhookSource;
  /** A JWK set that was read and checked once; whoever uses it reads it, and reads it again when it changes. */
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
  /** Names of headers. */
  readonly eventTypeHeader: string | undefined;
  readonly idHeader: string | undefined;
}

export interface EgressSettings {
  readonly allowedPorts: readonly PortRange[];
  /** CIDRs. */
  readonly allowedNetworks: readonly string[];
  /** PEM, to be added to the public ones. */
  readonly certificateAuthorities: string | undefined;
  /** An `http:` or `https:` URL, credentials included. */
  readonly proxyUrl: GivenSecret | undefined;
}

export interface GivenSecret {
  /** As it was at start. */
  readonly value: Secret;
  /** The file it came from, for `readSecretFile` when that changes. */
  readonly file: string | undefined;
}
