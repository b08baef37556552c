/** A loop as a first version of this service would have it: it reads certificates with kafkajs, posts each with undici, and commits. It has no retries, limits or isolation. */
import { Kafka, logLevel } from 'kafkajs';
import { Agent } from 'undici';

export interface BareLoopSetup {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly groupId: string;
  /** Requests at a time. */
  readonly inFlight: number;
  readonly authority: string;
  readonly url: string;
}

const { brokers, topic, groupId, inFlight, authority, url } = JSON.parse(process.argv[2] ?? '{}') as BareLoopSetup;
const { origin, pathname: path } = new URL(url);
const headers = {
  'content-type': 'application/json',
  'user-agent': 'benchmark',
  authorization: 'Bearer a-token-of-usual-length-0123456789',
  'x-environment': 'production',
};
const agent = new Agent({ connect: { ca: authority } });
const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
const consumer = kafka.consumer({ groupId });
await consumer.connect();
await consumer.subscribe({ topics: [topic], fromBeginning: true });
await consumer.run({
  // kafkajs commits after each batch.
  eachBatch: async ({ batch: { messages } }) => {
    let next = 0;
    const postInTurn = async (): Promise<void> => {
      for (let message = messages[next]; message !== undefined; message = messages[next]) {
        next += 1;
        const { body } = await agent.request({ origin, path, method: 'POST', headers, body: message.value });
        await body.dump();
      }
    };
    await Promise.all(Array.from({ length: inFlight }, postInTurn));
  },
});
