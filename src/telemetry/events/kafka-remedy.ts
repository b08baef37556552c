export const deniedRemedy = 'the brokers do not let us read the topic: allow Read and Describe on it';

/** Names what to change after the brokers could not be reached, or refused us. Undefined if nothing is known to help. */
export function kafkaRemedy(error: unknown): string | undefined {
  const texts = textsOf(error);
  // The reason of the token endpoint may have a word in common with those of brokers.
  const token = texts.find((text) => text.includes('no token, because'));
  if (token !== undefined) return tokenRemedy(token);
  return remedyOf(remedies, texts);
}

/** Names what to change after the token endpoint gave no token for this reason. */
export function tokenRemedy(reason: string): string {
  return remedyOf(tokenRemedies, [reason]) ?? 'look at KAFKA_OAUTH_TOKEN_URL';
}

/** Finds the first pattern that any of the texts matches. */
function remedyOf(table: typeof remedies, texts: readonly string[]): string | undefined {
  return Object.entries(table).find(([symptom]) => texts.some((text) => new RegExp(symptom, 'v').test(text)))?.[1];
}

/** The remedies by the pattern of their symptom. */
const tokenRemedies: Readonly<Record<string, string>> = {
  invalid_scope: 'the token endpoint refuses the scope: look at KAFKA_OAUTH_SCOPE, and at what the client may ask for',
  'unauthorized_client|unsupported_grant_type':
    'the client may not get tokens this way: allow it the grant client_credentials at the identity provider',
  'invalid_client|answers 40[13]':
    'the token endpoint refuses the client: look at KAFKA_OAUTH_CLIENT_ID and KAFKA_OAUTH_CLIENT_SECRET',
  'UNABLE_TO_(?:VERIFY|GET)|SELF_SIGNED_CERT|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED':
    'nobody we trust vouches for the certificate of the token endpoint: add its authority to KAFKA_TLS_CA_FILE',
  'CERT_HAS_EXPIRED|CERT_NOT_YET_VALID': 'the certificate of the token endpoint is not valid at present: renew it',
  'cannot be reached|answers (?:429|5[0-9]{2})': 'look at the identity provider, the network and KAFKA_OAUTH_TOKEN_URL',
};

/** The first match counts. Symptoms of certificate authorities therefore come before those of any handshake. */
const remedies: Readonly<Record<string, string>> = {
  GROUP_AUTHORIZATION_FAILED: 'the brokers refuse us the group: allow Read on groups prefixed with KAFKA_GROUP_ID',
  TOPIC_AUTHORIZATION_FAILED:
    'the brokers refuse us a topic: allow Read, Describe and DescribeConfigs on all topics, and Write on tiers, dead letters and what a command writes',
  'CLUSTER_AUTHORIZATION_FAILED|TRANSACTIONAL_ID_AUTHORIZATION_FAILED':
    'the brokers refuse us an operation on the cluster: compare the ACLs with the handbook',
  'INCONSISTENT_GROUP_PROTOCOL|Unsupported partition assigner':
    'other members of the group use another protocol: stop them, or set KAFKA_GROUP_ID to a name of its own',
  INVALID_SESSION_TIMEOUT:
    'the brokers refuse the session: set KAFKA_SESSION_TIMEOUT between their group.min.session.timeout.ms and group.max.session.timeout.ms',
  INVALID_GROUP_ID: 'the brokers refuse the name of the group: look at KAFKA_GROUP_ID',
  GROUP_MAX_SIZE_REACHED: 'the group is full: raise group.max.size at the brokers, or run fewer instances',
  UNSUPPORTED_VERSION:
    'the brokers lack a request: use Kafka 2.8 or later, with classic in group.coordinator.rebalance.protocols',
  INVALID_TOPIC_EXCEPTION: 'the brokers refuse the name of a topic: look at CERTIFICATE_TOPICS and RETRY_TOPIC_PREFIX',
  'UNSUPPORTED_SASL_MECHANISM|mechanism is not supported':
    'the brokers do not know the mechanism: look at KAFKA_SASL_MECHANISM',
  'broker refuses the token':
    'the brokers refuse the token: compare its issuer, audience and scopes with what they expect, and look at KAFKA_OAUTH_SCOPE',
  'SASL[A-Za-z0-9_]* .*failed|KafkaJSSASLAuthenticationError|SASL_AUTHENTICATION_FAILED':
    'the brokers refuse the credentials: look at KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD and KAFKA_SASL_MECHANISM',
  ILLEGAL_SASL_STATE:
    'the listener takes no SASL: look at the port in KAFKA_BROKERS, or leave KAFKA_SASL_MECHANISM out',
  'UNABLE_TO_(?:VERIFY|GET)|SELF_SIGNED_CERT|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED':
    "nobody we trust vouches for the broker's certificate: look at KAFKA_TLS_CA_FILE",
  'CERT_HAS_EXPIRED|CERT_NOT_YET_VALID': "the broker's certificate is not valid at present: renew it at the broker",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "the broker's certificate has another name: look at KAFKA_BROKERS, and at what the brokers advertise",
  'ALERT_(?:BAD_CERTIFICATE|CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE|ACCESS_DENIED)|alert (?:bad|certificate|unknown ca|handshake)':
    'the broker refuses our certificate, or the lack of one: look at KAFKA_TLS_CERT_FILE and KAFKA_TLS_KEY_FILE',
  'before secure TLS connection|WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH':
    'the port does not speak TLS: look at KAFKA_TLS, and at the port in KAFKA_BROKERS',
  'KafkaJSConnectionClosedError|Closed connection':
    'should it go on: the port may want TLS or SASL, look at KAFKA_TLS and KAFKA_SASL_MECHANISM',
};

/** Returns the searchable texts of the error and of up to seven causes. */
function textsOf(error: unknown): readonly string[] {
  const texts: string[] = [];
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth += 1) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    const type = 'type' in cause && typeof cause.type === 'string' ? cause.type : '';
    texts.push([cause.name, code, type, cause.message].join(' '));
  }
  return texts;
}
