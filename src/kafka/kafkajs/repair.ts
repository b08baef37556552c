import { systemClock } from '../../lib/clock.ts';
import { connectOnce } from './repairs/connect-once.ts';
import { searchLostCoordinator } from './repairs/coordinator-search.ts';
import { fetchWithinBudget } from './fetch/fetch.ts';
import { fetchForGroup } from './fetch/group-fetch.ts';
import { encodeRecordsInOneBuffer } from './repairs/encode-record.ts';
import { endFetchersOfStopped } from './repairs/fetch-after-stop.ts';
import { confineFetchFaults } from './repairs/fetch-faults.ts';
import { createGroupStates } from './group-state.ts';
import { loadInternals } from './load.ts';
import { joinOnce } from './repairs/join-once.ts';
import { reportOutOfRange } from './repairs/out-of-range.ts';
import { repairRequestQueueTimer } from './repairs/request-queue-timer.ts';
import { closeUnanswered } from './repairs/request-timeouts.ts';
import { measureMonotonically } from './repairs/monotonic-durations.ts';
import { prepareLogin, reauthenticateInTime } from './repairs/logins.ts';
import { askForWantedTopics } from './topic-states.ts';

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
  fetchWithinBudget(kafkajs);
  encodeRecordsInOneBuffer();
  reportOutOfRange(kafkajs.offsetManager);
  endFetchersOfStopped(kafkajs.runner);

  // The order matters, because each repair of `fetch` wraps the ones before it.
  const stateOf = createGroupStates();
  joinOnce(kafkajs, stateOf, systemClock);
  fetchForGroup(kafkajs, stateOf, systemClock);
  const search = searchLostCoordinator(consumerGroup, stateOf, systemClock);
  confineFetchFaults(consumerGroup, search, systemClock);
}
