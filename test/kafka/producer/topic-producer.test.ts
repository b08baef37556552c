import { setImmediate } from 'node:timers/promises';
import type { Producer, RecordMetadata } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { TopicProducer, UnacknowledgedError } from '../../../src/kafka/producer/topic-producer.ts';

const record = { key: null, value: Buffer.from('v'), headers: [] };
const good: RecordMetadata = { topicName: 'retry.10s', partition: 0, errorCode: 0 };

describe('TopicProducer', () => {
  it('takes a write for done when the brokers acknowledge it', async () => {
    await using producer = answering([good]);
    await expect(producer.send(0, [record])).resolves.toBeUndefined();
  });

  it.each<{ answer: string; answers: RecordMetadata[] }>([
    { answer: 'no answer at all', answers: [] },
    { answer: 'an error', answers: [{ ...good, errorCode: 7 }] },
    { answer: 'an answer about another topic', answers: [{ ...good, topicName: 'retry.1m' }] },
    { answer: 'answers about two partitions', answers: [good, { ...good, partition: 1 }] },
  ])('does not take $answer for an acknowledgement', async ({ answers }) => {
    await using producer = answering(answers);
    await expect(producer.send(0, [record])).rejects.toThrow(UnacknowledgedError);
  });

  it('lets go of its connections once nothing is on its way', async () => {
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

/** As kafkajs's sends come to, when it has lost some. */
function answering(answers: RecordMetadata[]): TopicProducer {
  return over({ send: async () => answers, disconnect: async () => undefined });
}

function over(client: Pick<Producer, 'disconnect' | 'send'>): TopicProducer {
  const producer = { connect: async () => undefined, ...client };
  return new TopicProducer({ kafka: { producer: () => producer }, topic: 'retry.10s', compression: 'none' });
}
