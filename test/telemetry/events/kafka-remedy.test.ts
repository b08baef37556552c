import { describe, expect, it } from 'vitest';
import { kafkaRemedy } from '../../../src/telemetry/events/kafka-remedy.ts';

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

  it.each(passing)('is left out after %s', (type) => {
    expect(kafkaRemedy(Object.assign(new Error('for now'), { type }))).toBeUndefined();
  });
});
