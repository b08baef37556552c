import { describe, expect, it } from 'vitest';
import { kafkaRemedy, tokenRemedy } from '../../../src/telemetry/events/kafka-remedy.ts';

/** Refusals that last until a person changes something, and the text that the remedy has to contain. */
const lasting = [
  { type: 'TOPIC_AUTHORIZATION_FAILED', names: 'Read, Describe' },
  { type: 'GROUP_AUTHORIZATION_FAILED', names: 'KAFKA_GROUP_ID' },
  { type: 'CLUSTER_AUTHORIZATION_FAILED', names: 'ACL' },
  { type: 'INCONSISTENT_GROUP_PROTOCOL', names: 'KAFKA_GROUP_ID' },
  { type: 'INVALID_GROUP_ID', names: 'KAFKA_GROUP_ID' },
  { type: 'GROUP_MAX_SIZE_REACHED', names: 'group.max.size' },
  { type: 'INVALID_SESSION_TIMEOUT', names: 'KAFKA_SESSION_TIMEOUT' },
  { type: 'UNSUPPORTED_VERSION', names: 'group.coordinator.rebalance.protocols' },
  { type: 'INVALID_TOPIC_EXCEPTION', names: 'CERTIFICATE_TOPICS' },
  { type: 'UNSUPPORTED_SASL_MECHANISM', names: 'KAFKA_SASL_MECHANISM' },
  { type: 'ILLEGAL_SASL_STATE', names: 'KAFKA_SASL_MECHANISM' },
  { type: 'SASL_AUTHENTICATION_FAILED', names: 'KAFKA_SASL_PASSWORD' },
];

/** Answers of the token endpoint, and the text that the remedy has to contain. */
const tokenFailures = [
  { reason: 'answers 401 invalid_client', names: 'KAFKA_OAUTH_CLIENT_SECRET' },
  { reason: 'answers 400 invalid_client', names: 'KAFKA_OAUTH_CLIENT_ID' },
  { reason: 'answers 400 invalid_scope', names: 'KAFKA_OAUTH_SCOPE' },
  { reason: 'answers 400 unauthorized_client', names: 'client_credentials' },
  { reason: 'answers 404', names: 'KAFKA_OAUTH_TOKEN_URL' },
  { reason: 'answers 503', names: 'identity provider' },
  { reason: 'answers with a body that is not JSON', names: 'KAFKA_OAUTH_TOKEN_URL' },
  { reason: 'cannot be reached: no answer in 10 s', names: 'network' },
  { reason: 'cannot be reached: x (SELF_SIGNED_CERT_IN_CHAIN)', names: 'KAFKA_TLS_CA_FILE' },
];

/** Errors that pass by themselves. A remedy would mislead. */
const passing = [
  'REBALANCE_IN_PROGRESS',
  'NOT_COORDINATOR_FOR_GROUP',
  'LEADER_NOT_AVAILABLE',
  'KAFKA_STORAGE_ERROR',
  'UNKNOWN_TOPIC_OR_PARTITION',
];

describe('the remedy of an error of Kafka', () => {
  it.each(lasting)('names $names after $type', ({ type, names }) => {
    const error = Object.assign(new Error('refused'), { type });
    expect(kafkaRemedy(new Error('wrapped', { cause: error }))).toContain(names);
  });

  it.each(tokenFailures)('names $names if the token endpoint $reason', ({ reason, names }) => {
    const error = new Error('wrapped', { cause: new Error(`no token, because https://idp/token ${reason}`) });
    expect(kafkaRemedy(error)).toContain(names);
    expect(tokenRemedy(reason)).toBe(kafkaRemedy(error));
  });

  it('names the scope if a broker refuses a token', () => {
    const refusal = new Error('SASL OAUTHBEARER authentication failed: the broker refuses the token: {}');
    expect(kafkaRemedy(refusal)).toContain('KAFKA_OAUTH_SCOPE');
  });

  it.each(passing)('is left out after %s', (type) => {
    expect(kafkaRemedy(Object.assign(new Error('for now'), { type }))).toBeUndefined();
  });
});
