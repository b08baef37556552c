import { describe, expect, it } from 'vitest';
import { isCoordinatorError, isNetworkError, isRejoinError } from '../../../src/kafka/kafkajs/faults.ts';
import { brokerError, kafkaError, networkError } from './scripted.ts';

const wrapped = (cause: Error): Error => new Error('wrapped', { cause });

describe('an error of kafkajs', () => {
  it.each([
    { error: networkError(), network: true, coordinator: false, rejoin: false },
    { error: kafkaError('KafkaJSRequestTimeoutError'), network: true, coordinator: false, rejoin: false },
    { error: wrapped(wrapped(networkError())), network: true, coordinator: false, rejoin: false },
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
