import type { Producer, RecordMetadata } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { TopicProducer, UnacknowledgedError } from '../../src/kafka/topic-producer.ts';

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
});

/** Over a client whose sends all come to these answers, as kafkajs's do when it has lost some. */
function answering(answers: RecordMetadata[]): TopicProducer {
  const client: Pick<Producer, 'connect' | 'disconnect' | 'send'> = {
    connect: async () => undefined,
    disconnect: async () => undefined,
    send: async () => answers,
  };
  return new TopicProducer({ kafka: { producer: () => client }, topic: 'retry.10s', compression: 'none' });
}
