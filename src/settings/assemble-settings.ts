import { strict as assert } from 'node:assert';
import type { Secret } from '../lib/secret.ts';
import { isComplete, type ParsedVariables } from './parse-variables.ts';
import type {
  DeliverySettings,
  EgressSettings,
  SecretSetting,
  KafkaSettings,
  OAuthSettings,
  SaslSettings,
  SchemaRegistrySettings,
  Settings,
  TlsSettings,
} from './sections.ts';
import type { Values, VariableName } from './variables.ts';

/** Groups the values by topic. `parsed` must be free of problems. */
export function assembleSettings(parsed: ParsedVariables): Omit<Settings, 'effective'> {
  const { values } = parsed;
  assert(isComplete(values), 'Variables without problems have all required values.');
  return {
    kafka: kafkaSettings(values, parsed),
    certificates: { topics: values.CERTIFICATE_TOPICS, start: values.CERTIFICATE_START },
    schemaRegistry: schemaRegistrySettings(values, parsed),
    webhooks: {
      source: values.WEBHOOK_CONFIGURATIONS,
      keysFile: parsed.fileOf('WEBHOOK_KEYS_FILE'),
      requireSealed: values.WEBHOOK_REQUIRE_SEALED,
    },
    intake: {
      maxRecords: values.INTAKE_MAX_RECORDS,
      maxBytes: values.INTAKE_MAX_BYTES,
      maxRecordBytes: values.RECORD_MAX_BYTES,
      maxSpan: values.INTAKE_MAX_SPAN,
    },
    retry: { topicPrefix: values.RETRY_TOPIC_PREFIX, delaysMs: values.RETRY_DELAYS },
    deadLetters: { topic: values.DEAD_LETTER_TOPIC },
    results: { topic: values.RESULTS_TOPIC },
    handoff: { compression: values.HANDOFF_COMPRESSION },
    delivery: deliverySettings(values),
    egress: egressSettings(values, parsed),
    circuit: { failures: values.CIRCUIT_FAILURES, cooldownMs: values.CIRCUIT_COOLDOWN },
    http: { host: values.HTTP_HOST, port: values.HTTP_PORT },
    endpointsOf: values.ENDPOINTS_OF,
    log: { level: values.LOG_LEVEL, deliveries: values.LOG_DELIVERIES },
    shutdown: { graceMs: values.SHUTDOWN_GRACE },
  };
}

function kafkaSettings(values: Values, parsed: ParsedVariables): KafkaSettings {
  return {
    brokers: values.KAFKA_BROKERS,
    clientId: values.KAFKA_CLIENT_ID,
    groupId: values.KAFKA_GROUP_ID,
    tls: values.KAFKA_TLS ? tlsSettings(values, parsed) : undefined,
    sasl: saslSettings(values, parsed),
    sessionTimeoutMs: values.KAFKA_SESSION_TIMEOUT,
  };
}

function tlsSettings(values: Values, { fileOf }: ParsedVariables): TlsSettings {
  const { KAFKA_TLS_CA_FILE: certificateAuthorities, KAFKA_TLS_CERT_FILE: chain, KAFKA_TLS_KEY_FILE: key } = values;
  const clientCertificate = chain === undefined || key === undefined ? undefined : { chain, key };
  const files = {
    certificateAuthorities: fileOf('KAFKA_TLS_CA_FILE'),
    chain: fileOf('KAFKA_TLS_CERT_FILE'),
    key: fileOf('KAFKA_TLS_KEY_FILE'),
  };
  return { certificateAuthorities, clientCertificate, files };
}

function saslSettings(values: Values, parsed: ParsedVariables): SaslSettings | undefined {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username } = values;
  if (mechanism === 'oauthbearer') return oauthSettings(values, parsed);
  const secret = secretSetting('KAFKA_SASL_PASSWORD', values.KAFKA_SASL_PASSWORD, parsed);
  if (mechanism === undefined || username === undefined || secret === undefined) return undefined;
  return { mechanism, username, secret };
}

function oauthSettings(values: Values, parsed: ParsedVariables): OAuthSettings | undefined {
  const { KAFKA_OAUTH_TOKEN_URL: url, KAFKA_OAUTH_CLIENT_ID: clientId, KAFKA_OAUTH_SCOPE: scope } = values;
  const secret = secretSetting('KAFKA_OAUTH_CLIENT_SECRET', values.KAFKA_OAUTH_CLIENT_SECRET, parsed);
  if (url === undefined || clientId === undefined || secret === undefined) return undefined;
  return { mechanism: 'oauthbearer', tokenUrl: url, clientId, secret, scope };
}

function schemaRegistrySettings(values: Values, parsed: ParsedVariables): SchemaRegistrySettings | undefined {
  const { SCHEMA_REGISTRY_URL: urls, SCHEMA_REGISTRY_USERNAME: username } = values;
  if (urls === undefined) return undefined;
  const password = secretSetting('SCHEMA_REGISTRY_PASSWORD', values.SCHEMA_REGISTRY_PASSWORD, parsed);
  const credentials = username === undefined || password === undefined ? undefined : { username, password };
  return { urls, credentials, certificateAuthorities: values.SCHEMA_REGISTRY_CA_FILE };
}

function deliverySettings(values: Values): DeliverySettings {
  return {
    timeoutMs: values.DELIVERY_TIMEOUT,
    connectTimeoutMs: values.DELIVERY_CONNECT_TIMEOUT,
    maxInFlight: values.DELIVERY_MAX_IN_FLIGHT,
    maxInFlightPerEndpoint: values.DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT,
    maxWaitingPerEndpoint: values.DELIVERY_MAX_WAITING_PER_ENDPOINT,
    maxIdleConnections: values.DELIVERY_MAX_IDLE_CONNECTIONS,
    maxAgeMs: values.DELIVERY_MAX_AGE,
    userAgent: values.DELIVERY_USER_AGENT,
    eventTypeHeader: values.DELIVERY_EVENT_TYPE_HEADER,
    idHeader: values.DELIVERY_ID_HEADER,
  };
}

function egressSettings(values: Values, parsed: ParsedVariables): EgressSettings {
  return {
    allowedPorts: values.DELIVERY_ALLOWED_PORTS,
    allowedNetworks: values.DELIVERY_ALLOWED_NETWORKS ?? [],
    certificateAuthorities: values.DELIVERY_CA_FILE,
    proxyUrl: secretSetting('DELIVERY_PROXY_URL', values.DELIVERY_PROXY_URL, parsed),
  };
}

function secretSetting(
  name: VariableName,
  value: Secret | undefined,
  parsed: ParsedVariables,
): SecretSetting | undefined {
  return value === undefined ? undefined : { value, file: parsed.fileOf(name) };
}
