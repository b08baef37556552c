import { setImmediate } from 'node:timers/promises';
import type { RecordMetadata } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { kafkaErrorType } from '../../../src/kafka/client/faults.ts';
import type { Producer } from '../../../src/kafka/client/kafka.ts';
import { TopicProducer, UnacknowledgedError } from '../../../src/kafka/producer/topic-producer.ts';

const record = { key: null, value: Buffer.from('v'), headers: [] };
const good: RecordMetadata = { topicName: 'retry.10s', partition: 0, errorCode: 0 };

describe('TopicProducer', () => {
  it('resolves a write when the brokers acknowledge it', async () => {
    await using producer = answering([good]);
    await expect(producer.send(0, [record])).resolves.toBeUndefined();
  });

  it.each<{ answer: string; answers: RecordMetadata[] }>([
    { answer: 'no answer at all', answers: [] },
    { answer: 'an error', answers: [{ ...good, errorCode: 7 }] },
    { answer: 'an answer about another topic', answers: [{ ...good, topicName: 'retry.1m' }] },
    { answer: 'answers about two partitions', answers: [good, { ...good, partition: 1 }] },
  ])('rejects a write with $answer', async ({ answers }) => {
    await using producer = answering(answers);
    await expect(producer.send(0, [record])).rejects.toThrow(UnacknowledgedError);
  });

  it.each([
    { records: [record], takes: 4, tried: [0, 4], error: undefined },
    { records: [record], takes: undefined, tried: [0, 4], error: 'MESSAGE_TOO_LARGE' },
    { records: [record, record], takes: 4, tried: [0], error: 'MESSAGE_TOO_LARGE' },
  ])(
    'tries compressions $tried for $records.length records that are too large',
    async ({ records, takes, ...expected }) => {
      const tried: number[] = [];
      await using producer = over({
        send: async ({ compression }) => {
          tried.push(compression);
          if (compression === takes) return [good];
          throw Object.assign(new Error(), { type: 'MESSAGE_TOO_LARGE' });
        },
        disconnect: async () => undefined,
      });
      const error: unknown = await producer.send(0, records).catch(kafkaErrorType);
      expect({ tried, error }).toEqual(expected);
    },
  );

  it('disconnects once no write is in flight', async () => {
    const steps: string[] = [];
    const answer = Promise.withResolvers<RecordMetadata[]>();
    const producer = over({ send: () => answer.promise, disconnect: async () => void steps.push('disconnected') });
    const sent = producer.send(0, [record]).then(() => steps.push('sent'));
    const disposed = producer[Symbol.asyncDispose]();
    await setImmediate();
    answer.resolve([good]);
    await Promise.all([sent, disposed]);
    expect(steps).toEqual(['sent', 'disconnected']);
  });
});

/** Builds a producer whose writes get these answers. kafkajs returns such answers when it has lost a write. */
function answering(answers: RecordMetadata[]): TopicProducer {
  return over({ send: async () => answers, disconnect: async () => undefined });
}

function over(client: Pick<Producer, 'disconnect' | 'send'>): TopicProducer {
  const producer = { connect: async () => undefined, ...client };
  return new TopicProducer({ kafka: { producer: () => producer }, topic: 'retry.10s', compression: 'none' });
}
