import { expect } from 'vitest';
import { TopicFollower } from '../../../src/kafka/reader/topic-follower.ts';
import { TopicTable } from '../../../src/kafka/reader/topic-table.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { MapTable } from './map-table.ts';
import { ScriptedLog } from './scripted-log.ts';

export function kafkaError(type: string): Error {
  return Object.assign(new Error(type), { type });
}

interface FollowOptions extends Pick<ConstructorParameters<typeof TopicFollower>[0], 'isReplaced'> {
  /** For how long the topic keeps tombstones. */
  readonly keptMs?: number | Error | undefined;
}

/** Follows a scripted topic with a clock of its own, and collects the events. */
export function followLog(log: ScriptedLog, { isReplaced, keptMs }: FollowOptions = {}) {
  const asked: number[] = [];
  const clock = new ManualClock();
  const table = new MapTable();
  const events: string[] = [];
  const follower = new TopicFollower({
    topic: 'webhooks',
    log,
    table: new TopicTable(table),
    events: {
      kafkaUnreachable: ({ error, retryInMs }) => events.push(`${String(error)}, again in ${retryInMs} ms`),
      topicsMissing: (topics) => events.push(`missing: ${topics.join()}`),
      configurationsHeld: ({ found, expected }) => events.push(`held: ${found} of ${expected}`),
      configurationsReplaced: ({ found, expected }) => events.push(`replaced: ${found} of ${expected}`),
      configurationsDuplicated: ({ configurations, ids }) =>
        events.push(`duplicated: ${configurations}, ${ids.join()}`),
    },
    clock,
    isReplaced,
    tombstonesKeptMs: () => {
      asked.push(clock.monotonic());
      return keptMs instanceof Error ? Promise.reject(keptMs) : Promise.resolve(keptMs);
    },
    progressed: () => undefined,
    restarted: () => events.push('restarted'),
  });
  return {
    follower,
    clock,
    table,
    events,
    /** The times at which the follower asked how long the topic keeps tombstones. */
    asked,
    async [Symbol.asyncDispose]() {
      const disposed = follower[Symbol.asyncDispose]();
      log.change();
      await disposed;
      expect(clock.pending).toBe(0);
    },
  };
}

/** Follows a topic of one partition with these records, and has read them. */
export async function startFollowing(...records: readonly string[]) {
  const log = new ScriptedLog();
  log.write(0, ...records);
  const following = followLog(log);
  await following.clock.advance(0);
  return { ...following, log };
}
