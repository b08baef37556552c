import type { HeaderLimits } from '../../../certificates/record.ts';
import type { Broker, FetchRequest, KafkajsInternals, PartitionData } from '../internals.ts';
import { sendFrame } from '../send-frame.ts';
import { dropAborted } from './aborted-records.ts';
import { decodeFetch, encodeFetch, fetchApi } from './fetch-protocol.ts';
import { decodeInto, scopeOf, type Decoding } from './record-batches.ts';

type Internals = Decoding & Pick<KafkajsInternals, 'broker' | 'parseFetch'>;

/**
 * Sends Fetch requests for all readers: groups, and those without one.
 *
 * - kafkajs builds all that an answer holds, and some kilobytes may hold gigabytes. Here its partitions share a budget, and one
 *   answer is decoded at a time. What exceeds it is fetched again, from within its batch if need be.
 * - kafkajs has an encoder and several objects for each partition, also for those without records. Here a request is one
 *   buffer.
 */
export function fetchWithinBudget(kafkajs: Internals): void {
  let latest = Promise.resolve();
  let turn = 0;
  kafkajs.broker.fetchRecords = async function fetchAndDecode(this: Broker, request) {
    turn = (turn + goldenRatio) % 1;
    const answer = await exchange(this, request, Math.floor(turn * request.partitions.length), kafkajs);
    if (answer.length > 0) await (latest = latest.then(() => decodeRecords(answer, request.headers, kafkajs)));
    return answer;
  };
}

/**
 * The fractions of its multiples are spread evenly, and so are those of each second multiple, or third. So each partition of a
 * reader comes first equally often, however many other readers send requests between its own.
 */
const goldenRatio = (Math.sqrt(5) - 1) / 2;

/** Time in ms that an answer may take beside the wait of the broker, as in kafkajs. */
const networkMs = 100;

async function exchange(broker: Broker, request: FetchRequest, first: number, kafkajs: Internals) {
  const answer = await sendFrame(broker, {
    api: fetchApi,
    encode: (header) => encodeFetch(request, first, header),
    timeoutMs: request.maxWaitTime + networkMs,
  });
  const { failure, partitions } = decodeFetch(new kafkajs.Decoder(answer), request);
  if (failure !== undefined)
    await kafkajs.parseFetch({ responses: [{ topicName: failure.topic, partitions: [failure] }] });
  return partitions;
}

async function decodeRecords(
  partitions: readonly PartitionData[],
  headers: HeaderLimits | undefined,
  kafkajs: Decoding,
): Promise<void> {
  const scope = scopeOf(headers);
  for (const data of partitions) {
    if (data.bytes.length > 0) await decodeInto(data, kafkajs, { ...scope, from: data.asked.fetchOffset });
    dropAborted(data);
  }
}
