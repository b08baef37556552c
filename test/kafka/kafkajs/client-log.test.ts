import { describe, expect, it } from 'vitest';
import { logLevel } from 'kafkajs';
import type { KafkaLogEntry } from '../../../src/kafka/client/kafka.ts';
import { clientLogEntry } from '../../../src/kafka/kafkajs/create-kafka.ts';

function entryOf(message: string, extra: object = {}, level = logLevel.ERROR): KafkaLogEntry | undefined {
  const log = { message, timestamp: '2026-11-21T12:00:00.000Z', logger: 'kafkajs', ...extra };
  return clientLogEntry({ namespace: 'Connection', level, label: logLevel[level] ?? '', log });
}

describe('a log entry of kafkajs', () => {
  it('is passed on with the allowed details only', () => {
    const details = { broker: 'b:9092', groupId: 'g', topic: 't', partition: 3, error: 'refused', retryCount: 1 };
    const sasl = { username: 'us', password: 'secret' };
    expect(entryOf('Connection error', { ...details, sasl, stack: 'x', payload: Buffer.from('secret') })).toEqual({
      level: 'warn',
      message: 'Connection: Connection error',
      details,
    });
  });

  it('may have an error instead of a message', () => {
    expect(entryOf('', { message: new TypeError('no text') })).toEqual({
      level: 'warn',
      message: 'Connection: TypeError: no text',
      details: {},
    });
  });

  it('loses a detail `error` that is not text', () => {
    expect(entryOf('Error when calling eachBatch', { error: new Error('with a body') })?.details).toEqual({});
  });

  it.each([
    { level: logLevel.ERROR, expected: 'warn' },
    { level: logLevel.WARN, expected: 'warn' },
    { level: logLevel.INFO, expected: 'debug' },
    { level: logLevel.DEBUG, expected: 'debug' },
  ])('becomes a $expected line at the client level $level', ({ level, expected }) => {
    expect(entryOf('Stopped', {}, level)?.level).toBe(expected);
  });

  it.each([
    'Pausing fetching from 1 topics',
    'Resuming fetching from 2 topics',
    'Response without match',
    'Connection error: the Kafka client is closed',
  ])('is not logged: %s', (message) => {
    expect(entryOf(message, {}, logLevel.INFO)).toBeUndefined();
  });
});
