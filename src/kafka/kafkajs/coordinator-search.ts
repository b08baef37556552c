import { Backoff } from '../../lib/backoff.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import { isCoordinatorError, isNetworkError } from './faults.ts';
import type { GroupMemory, MemoryOf } from './group-memory.ts';
import type { ConsumerGroup } from './internals.ts';

const shortestPatienceMs = 60_000;

/** A commit while it is not known which broker takes it. */
export class CoordinatorLostError extends Error {
  override readonly name = 'CoordinatorLostError';
  readonly type = 'GROUP_COORDINATOR_NOT_AVAILABLE';
}

export type SearchCoordinator = (group: ConsumerGroup) => void;

/**
 * A coordinator that is lost is looked up again, in the background, and the membership is kept: the next heartbeat
 * that gets through says whether the group still knows us. kafkajs kept asking the broker that was gone until the
 * consumer crashed, joined as a new member, and the whole group waited a session timeout for its old one.
 * github.com/tulios/kafkajs/issues/1630, github.com/tulios/kafkajs/issues/1536
 */
export function searchLostCoordinator(
  consumerGroup: ConsumerGroup,
  memoryOf: MemoryOf,
  clock: Clock,
): SearchCoordinator {
  const search: SearchCoordinator = (group) => {
    const memory = memoryOf(group);
    memory.searching ??= searchFor(group, memory, clock).finally(() => {
      memory.searching = undefined;
    });
  };
  searchOnHeartbeat(consumerGroup, memoryOf, search);
  searchOnCommit(consumerGroup, memoryOf, search);
  return search;
}

function searchOnHeartbeat(consumerGroup: ConsumerGroup, memoryOf: MemoryOf, search: SearchCoordinator): void {
  const { heartbeat } = consumerGroup;
  consumerGroup.heartbeat = async function heartbeatOrSearch(this: ConsumerGroup, options) {
    const memory = memoryOf(this);
    if (memory.searching !== undefined) return;
    try {
      await heartbeat.call(this, options);
      memory.searchFailed = false;
    } catch (error) {
      if (memory.searchFailed || !isLost(error)) throw error;
      search(this);
    }
  };
}

function searchOnCommit(consumerGroup: ConsumerGroup, memoryOf: MemoryOf, search: SearchCoordinator): void {
  const { commitOffsets } = consumerGroup;
  consumerGroup.commitOffsets = async function commitOrSearch(this: ConsumerGroup, offsets) {
    if (memoryOf(this).searching !== undefined) throw new CoordinatorLostError('looking for the group coordinator');
    try {
      await commitOffsets.call(this, offsets);
    } catch (error) {
      if (isLost(error)) search(this);
      throw error;
    }
  };
}

function isLost(error: unknown): boolean {
  return isNetworkError(error) || isCoordinatorError(error);
}

/** Never rejects. Ends when a coordinator answers, or the membership it was for is over. */
async function searchFor(group: ConsumerGroup, memory: GroupMemory, clock: Clock): Promise<void> {
  const { offsetManager } = group;
  const deadline = clock.now() + Math.max(shortestPatienceMs, 2 * group.sessionTimeout);
  const isWanted = (): boolean =>
    !memory.stopping &&
    memory.joining === undefined &&
    group.memberId !== null &&
    group.offsetManager === offsetManager;
  const backoff = new Backoff({ firstMs: 250, longestMs: 2_000 });
  while (isWanted()) {
    if (await findCoordinator(group)) return;
    if (clock.now() > deadline) {
      memory.searchFailed = true;
      return;
    }
    await sleep(clock, backoff.next());
  }
}

async function findCoordinator(group: ConsumerGroup): Promise<boolean> {
  try {
    const coordinator = await group.cluster.findGroupCoordinator({ groupId: group.groupId });
    if (!coordinator.isConnected()) await coordinator.connect();
    group.coordinator = coordinator;
    if (group.offsetManager !== null) group.offsetManager.coordinator = coordinator;
    return true;
  } catch {
    // Whatever went wrong, the search goes on until its deadline.
    return false;
  }
}
