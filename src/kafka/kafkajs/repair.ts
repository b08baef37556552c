import { systemClock } from '../../lib/clock.ts';
import { connectOnce } from './connections/connect-once.ts';
import { searchLostCoordinator } from './coordinator-search.ts';
import { repairDecodeMessages } from './batches/decode-messages.ts';
import { encodeRecordsInOneBuffer } from './batches/encode-record.ts';
import { endFetchersOfStopped } from './fetch-after-stop.ts';
import { confineFetchFaults } from './fetch-faults.ts';
import { limitFetches } from './fetch-limits.ts';
import { fetchTogether } from './fetch-together.ts';
import { createGroupStates } from './group-state.ts';
import { loadInternals } from './load.ts';
import { joinOnce } from './join-once.ts';
import { reportOutOfRange } from './out-of-range.ts';
import { repairRequestQueueTimer } from './connections/request-queue-timer.ts';
import { closeUnanswered } from './connections/request-timeouts.ts';
import { takeBatches } from './batches/take-batches.ts';
import { measureMonotonically } from './monotonic-durations.ts';
import { prepareLogin } from './connections/prepare-login.ts';
import { reauthenticateInTime } from './connections/reauthenticate-in-time.ts';
import { reportUnreadable } from './batches/unreadable-batches.ts';
import { wakeOnResume } from './fetch-wait.ts';
import { askForWantedTopics } from './wanted-metadata.ts';

/** Marks the prototype as repaired. A registered symbol, so that a second copy of this file sees the mark. */
const repaired = Symbol.for('certificate-webhooks.kafkajs-repaired');

/**
 * Fixes the defects of kafkajs 2.2.4 that affect this service, for every client of this process. The file of each repair
 * describes its defect. Must be called before `loadKafka`; later calls do nothing. Throws
 * `KafkajsMismatchError` for any other version.
 */
export function repairKafkajs(): void {
  if (Object.hasOwn(loadInternals().consumerGroup, repaired)) return;
  // First, because the other repairs change the copy that this one loads.
  measureMonotonically();
  const kafkajs = loadInternals();
  const { consumerGroup } = kafkajs;
  Object.defineProperty(consumerGroup, repaired, { value: true });

  connectOnce(kafkajs.connection);
  reauthenticateInTime(kafkajs.connection);
  prepareLogin(kafkajs.saslAuthenticator);
  repairRequestQueueTimer(kafkajs.requestQueue, () => systemClock.monotonic());
  closeUnanswered(kafkajs, systemClock);
  askForWantedTopics(kafkajs.broker);
  repairDecodeMessages(kafkajs);
  encodeRecordsInOneBuffer();
  reportOutOfRange(kafkajs.offsetManager);
  endFetchersOfStopped(kafkajs.runner);

  // The order matters, because each repair of `fetch` wraps the ones before it.
  const stateOf = createGroupStates();
  reportUnreadable(consumerGroup);
  joinOnce(kafkajs, stateOf, systemClock);
  wakeOnResume(consumerGroup, stateOf, systemClock);
  limitFetches(consumerGroup, stateOf, systemClock);
  fetchTogether(consumerGroup, stateOf, systemClock);
  takeBatches(consumerGroup, stateOf);
  const search = searchLostCoordinator(consumerGroup, stateOf, systemClock);
  confineFetchFaults(consumerGroup, search, systemClock);
}
