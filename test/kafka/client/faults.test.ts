import { describe, expect, it } from 'vitest';
import { isCoordinatorError, isNetworkError, isOwnFault, isRejoinError } from '../../../src/kafka/client/faults.ts';
import { TokenUnavailableError } from '../../../src/kafka/oauth/token-source.ts';
import { brokerError, kafkaError, networkError } from '../kafkajs/scripted.ts';

const wrapped = (cause: Error): Error => new Error('wrapped', { cause });

describe('an error of kafkajs', () => {
  it.each([
    { error: networkError(), network: true, coordinator: false, rejoin: false },
    { error: kafkaError('KafkaJSRequestTimeoutError'), network: true, coordinator: false, rejoin: false },
    { error: wrapped(wrapped(networkError())), network: true, coordinator: false, rejoin: false },
    { error: wrapped(new TokenUnavailableError('no token')), network: true, coordinator: false, rejoin: false },
    { error: brokerError('NOT_COORDINATOR_FOR_GROUP'), network: false, coordinator: true, rejoin: false },
    { error: wrapped(brokerError('GROUP_LOAD_IN_PROGRESS')), network: false, coordinator: true, rejoin: false },
    { error: brokerError('REBALANCE_IN_PROGRESS'), network: false, coordinator: false, rejoin: true },
    { error: brokerError('UNKNOWN_MEMBER_ID'), network: false, coordinator: false, rejoin: true },
    { error: wrapped(brokerError('ILLEGAL_GENERATION')), network: false, coordinator: false, rejoin: false },
    { error: brokerError('TOPIC_AUTHORIZATION_FAILED'), network: false, coordinator: false, rejoin: false },
    { error: new TypeError('ours'), network: false, coordinator: false, rejoin: false },
    { error: 'no error at all', network: false, coordinator: false, rejoin: false },
  ])('is classified by the reaction it needs: $error', ({ error, network, coordinator, rejoin }) => {
    expect(isNetworkError(error)).toBe(network);
    expect(isCoordinatorError(error)).toBe(coordinator);
    expect(isRejoinError(error)).toBe(rejoin);
  });
});

describe('a crash of the consumer', () => {
  const nonRetriable = (cause: Error): Error =>
    Object.assign(new Error(cause.message, { cause }), { name: 'KafkaJSNonRetriableError' });
  it.each([
    { error: brokerError('TOPIC_AUTHORIZATION_FAILED'), own: false },
    { error: nonRetriable(brokerError('INCONSISTENT_GROUP_PROTOCOL')), own: false },
    { error: wrapped(nonRetriable(networkError())), own: false },
    { error: kafkaError('KafkaJSGroupCoordinatorNotFound'), own: false },
    { error: new TokenUnavailableError('no token'), own: false },
    { error: nonRetriable(new TypeError('ours')), own: true },
    { error: nonRetriable(new RangeError('ours')), own: true },
    { error: kafkaError('KafkaJSNotImplemented'), own: true },
    { error: new Error('a partition stalled'), own: true },
    { error: 'no error at all', own: true },
  ])('is our own fault unless Kafka refused something or could not be reached: $error', ({ error, own }) => {
    expect(isOwnFault(error)).toBe(own);
  });
});
