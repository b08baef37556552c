import { sleep, within, type MonotonicClock } from '../../lib/clock.ts';
import { ProcessPausedError, watchProcessPauses } from '../../lib/process-pause-watch.ts';
import { Admission, type Intake } from './admission.ts';
import { createAssignor } from './assignor.ts';
import { Assignment } from './assignment.ts';
import type { LogMark } from './commits/commit-metadata.ts';
import type { GroupCommits } from './commits/group-commits.ts';
import { OffsetCommitter } from './offset-committer.ts';
import {
  consumerConfig,
  graces,
  longestProcessPauseMs,
  rebalanceGraces,
  type BarrierGraces,
  type ConsumerSettings,
} from './consumer-settings.ts';
import type { Consumer, ConsumerEvents, Partitions } from '../client/consumer.ts';
import type { Kafka } from '../client/kafka.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import type { FlowControl } from '../../flow/flow-control.ts';
import { GroupMembership } from './group-membership.ts';
import { PauseControl } from './pause-control.ts';
import type { SupervisedGroupConsumer } from './supervised-consumer.ts';
import { type RecreatedTopics, SubscribedTopics } from './recreated-topics.ts';

export interface GroupConsumerOptions extends ConsumerSettings {
  readonly kafka: Pick<Kafka, 'consumer'>;
  /** Reads the group's commits in these topics. Called before their partitions are read. */
  readonly readCommitted: (topics: readonly string[], signal: AbortSignal) => Promise<GroupCommits>;
  /** Outlives this consumer, because a topic may be recreated while no consumer runs. */
  readonly recreatedTopics: RecreatedTopics;
  readonly topics: readonly string[];
  /** Returns the configurations topic that was last complete, for the commits. */
  readonly configurations?: (() => LogMark | undefined) | undefined;
  /** Name of this process in its groups. */
  readonly instance: string;
  readonly intake: Intake;
  readonly flow: FlowControl;
  readonly events: KafkaEvents;
  readonly clock: MonotonicClock;
}

/** Pause in ms before a batch that can't be decoded is fetched again. Each try may cost as much as decoding all of it. */
const unreadableRetryMs = 30_000;

/**
 * A consumer of one group, from start to stop or crash. Owns the client and the parts that share it: admission,
 * commits, membership, and the pausing of partitions.
 *
 * ```
 *             joined, and the group's commits are read
 *   joining ───────────────────────────────────────────▶ reading
 *      ▲                                                    │
 *      └────────────────────────────────────────────────────┘
 *             rejoin (the barrier follows), expulsion, crash
 *
 *   stop() leads from both to `stopping`, which is final.
 * ```
 *
 * Records are admitted in `reading` only; until then all partitions are paused. `SupervisedConsumer` starts and stops it,
 * calls `recheckTopics` every two seconds, and creates another one when `crashed` resolves.
 *
 * Promises:
 * - A rejoin or stop first passes the barrier: nothing in flight and everything settled committed, within the grace
 *   periods. Otherwise the next owner of a partition would repeat deliveries.
 * - While it stops, it does not join again: a rebalance waits for its requests in flight, as long as the stop may take.
 * - Lost partitions are not committed: the assignment is revoked at once, and waiting deliveries do not start.
 * - Nothing is read before the group's commits and the ids of the topics are known. What an earlier assignment settled
 *   is then skipped, and a recreated topic is read from its first record.
 * - A process that was suspended for about a session gives up its consumer. Its partitions may have other owners, so
 *   records in its buffers and waiting rooms must not be delivered.
 */
export class GroupConsumer implements SupervisedGroupConsumer {
  readonly #options: GroupConsumerOptions;
  readonly #consumer: Consumer;
  readonly #membership: GroupMembership;
  readonly #pauseControl: PauseControl;
  readonly #admission: Admission;
  readonly #subscribedTopics: SubscribedTopics;
  readonly #committer: OffsetCommitter;
  #processPauseWatch: Disposable | undefined;
  readonly #crashed = Promise.withResolvers<Error>();
  #state: 'joining' | 'reading' | 'stopping' = 'joining';
  #starting: Promise<void> = Promise.resolve();
  /** Aborted when the group's generation ends, to end the waits that belong to it. */
  #generation = new AbortController();

  constructor(options: GroupConsumerOptions) {
    this.#options = options;
    this.#membership = new GroupMembership(options);
    this.#consumer = options.kafka.consumer({
      ...consumerConfig(options),
      assignor: createAssignor(options.instance),
      events: {
        active: () => this.#membership.active(),
        heartbeatAnswered: (afterMs) => this.#membership.heartbeatAnswered(afterMs),
        heartbeatAccepted: () => this.#membership.accepted(),
        joined: ({ memberAssignment }) => this.#joined(memberAssignment),
        crashed: (crash) => this.#crash(crash),
      },
      hooks: {
        beforeRejoin: async ({ kicked }) => this.#beforeRejoin(kicked),
        isLeaving: () => this.#isStopping,
        awaitedByGroup: () => this.#membership.accepted(),
        takeBatch: (batch) => (this.#state === 'reading' ? this.#admission.admitBatch(batch) : undefined),
        offsetReset: ({ topic, partition, from, to }) => {
          const lostRecords = this.#admission.restart(topic, partition, { from, to });
          options.events.offsetReset({ topic, partition, from, to, lostRecords });
        },
        unreadable: ({ topic, partition, offset, error }) => {
          options.events.partitionUnreadable({ topic, partition, offset, error, retryInMs: unreadableRetryMs });
          const retry = sleep(options.clock, unreadableRetryMs, this.#generation.signal);
          this.#admission.pauseUntil({ topic, partition, offset }, retry);
        },
      },
    });
    this.#pauseControl = new PauseControl(this.#consumer, options.events);
    this.#admission = new Admission({
      ...options,
      isReading: () => this.#state === 'reading',
      pause: ({ topic, partition }) => this.#pauseControl.pause({ [topic]: [partition] }),
      resume: ({ topic, partition }) => this.#pauseControl.resume({ [topic]: [partition] }),
      onBroken: (error) => this.#crashed.resolve(error),
    });
    this.#subscribedTopics = new SubscribedTopics({
      ...options,
      consumer: this.#consumer,
      pauseControl: this.#pauseControl,
      admission: this.#admission,
    });
    this.#committer = new OffsetCommitter({
      assignment: () => this.#admission.assignment,
      commit: (offsets) => this.#consumer.commit(offsets),
      committed: () => this.#admission.resumePaused(),
      failed: (error) => {
        this.#membership.commitFailed(error);
        options.events.commitFailed({ groupId: options.groupId, error });
      },
      clock: options.clock,
    });
  }

  get crashed(): Promise<Error> {
    return this.#crashed.promise;
  }

  get assignment(): Assignment {
    return this.#admission.assignment;
  }

  get lastActivityAt(): number {
    return this.#membership.lastActivityAt;
  }

  /** Resolves once it runs, or was stopped before that. */
  async start(): Promise<void> {
    this.#starting = this.#run();
    await this.#starting;
  }

  async recheckTopics(): Promise<void> {
    const { assignment } = this;
    const { recreatedTopics } = this.#options;
    const answer = await recreatedTopics.fetchStates(this.#consumer, Object.keys(assignment.assigned));
    if (this.#state === 'reading' && !assignment.revoked) this.#subscribedTopics.recheck(assignment, answer);
  }

  async stop(graceMs: number): Promise<boolean> {
    const { clock } = this.#options;
    this.#state = 'stopping';
    this.#generation.abort();
    this.#pauseAll();
    // A consumer that disconnects during its first join never leaves: the group would wait a session timeout for it
    // (github.com/tulios/kafkajs/issues/1639).
    const started = this.#starting.catch(() => undefined);
    await within(clock, graces.firstJoinMs, started);
    const drained = await this.#releasePartitions({ requestsMs: graceMs, handoverMs: graces.handoverMs });
    this.#committer[Symbol.dispose]();
    this.#processPauseWatch?.[Symbol.dispose]();
    const disconnected = this.#consumer.disconnect().catch(() => undefined);
    await within(clock, graces.leaveMs, disconnected);
    return drained;
  }

  async #run(): Promise<void> {
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [...this.#options.topics], fromBeginning: true });
    if (this.#isStopping) return;
    await this.#consumer.run({ autoCommit: false });
    if (this.#isStopping) return;
    this.#committer.start();
    this.#processPauseWatch = watchProcessPauses({
      clock: this.#options.clock,
      longestMs: longestProcessPauseMs(this.#options.sessionTimeoutMs),
      paused: (ms) => {
        this.#loseAssignment();
        this.#crashed.resolve(new ProcessPausedError(ms));
      },
    });
  }

  /** A getter, so that the compiler does not assume that the state is unchanged after an `await`. */
  get #isStopping(): boolean {
    return this.#state === 'stopping';
  }

  #joined(memberAssignment: Partitions): void {
    const { events, groupId } = this.#options;
    this.#membership.joined();
    if (this.#state === 'stopping') return;
    this.#state = 'joining';
    events.consumerJoined({ groupId, assignment: memberAssignment });
    this.#pauseControl.pause(memberAssignment);
    void this.#begin(memberAssignment);
  }

  /** Never rejects. Its waits end with the generation. */
  async #begin(assigned: Partitions): Promise<void> {
    this.#generation.abort();
    this.#generation = new AbortController();
    const { signal } = this.#generation;
    try {
      const topics = Object.keys(assigned);
      const committed = await this.#options.readCommitted(topics, signal);
      const logs = await this.#options.recreatedTopics.fetchStatesWithRetry(this.#consumer, topics, signal);
      if (signal.aborted) return;
      const ownershipUnconfirmed = (): Promise<void> | undefined => this.#membership.ownershipUnconfirmed;
      this.#admission.begin(
        new Assignment(assigned, {
          commits: committed,
          configurations: this.#options.configurations,
          logs,
          ownershipUnconfirmed,
        }),
      );
      for (const { topic, partition, start, repeated } of committed.uncommitted) {
        const opened = this.assignment.open(topic, partition, start, false);
        if (opened !== undefined && repeated > 0) this.#options.events.commitMissing({ topic, partition, repeated });
      }
      this.#state = 'reading';
      this.#subscribedTopics.begin(this.assignment, logs, committed.partitionsOfRecreatedTopics(assigned, logs));
      // kafkajs keeps partitions paused across a join.
      this.#pauseControl.resume(assigned);
    } catch (error) {
      if (!signal.aborted) this.#crashed.resolve(new Error('reading can not begin', { cause: error }));
    }
  }

  #crash({ error, restart }: Parameters<ConsumerEvents['crashed']>[0]): void {
    const { events, groupId } = this.#options;
    this.#loseAssignment();
    if (restart) events.consumerCrashed({ groupId, error, restarting: true });
    else this.#crashed.resolve(error);
  }

  /** Called while it stops, too, if the group has removed this member. */
  async #beforeRejoin(kicked: boolean): Promise<void> {
    if (kicked) return this.#loseAssignment();
    if (this.#state === 'reading') this.#state = 'joining';
    this.#generation.abort();
    this.#pauseAll();
    await this.#releasePartitions(rebalanceGraces(this.#options.sessionTimeoutMs));
  }

  /** Revokes the assignment without a commit. The new owners of the partitions read again what is not committed. */
  #loseAssignment(): void {
    if (this.#state === 'reading') this.#state = 'joining';
    this.#generation.abort();
    this.#admission.assignment.revoke();
    this.#options.intake.drain();
  }

  /**
   * Passes the barrier: revokes the assignment once none of its records is in flight and everything settled is committed. The
   * caller has stopped reading. Resolves to false if records are still in flight after the grace periods.
   */
  async #releasePartitions({ requestsMs, handoverMs }: BarrierGraces): Promise<boolean> {
    const { intake, clock } = this.#options;
    const { inFlight, assignment } = this.#admission;
    assignment.prepareToRevoke();
    intake.drain();
    if (!(await within(clock, requestsMs, inFlight.wait()))) {
      assignment.cutOff();
      intake.abort();
    }
    const drained = await within(clock, handoverMs, inFlight.wait());
    await within(clock, handoverMs, this.#committer.commitLast());
    assignment.revoke();
    return drained;
  }

  /** Without a pause, kafkajs would fetch a batch that is not resolved again at once. */
  #pauseAll(): void {
    this.#pauseControl.pause(this.#admission.assignment.assigned);
  }
}
