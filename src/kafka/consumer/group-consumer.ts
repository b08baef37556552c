import type { Consumer, ConsumerCrashEvent, ConsumerGroupJoinEvent, EachBatchPayload, Kafka } from 'kafkajs';
import { sleep, type Clock } from '../../lib/clock.ts';
import { ProcessPausedError, watchProcessPauses } from '../../lib/process-pause-watch.ts';
import { within } from '../../lib/within.ts';
import { Admission, type Intake } from './admission.ts';
import { createAssignor } from './assignor.ts';
import { Assignment } from './assignment.ts';
import type { GroupCommits } from './group-commits.ts';
import { OffsetCommitter } from './offset-committer.ts';
import { consumerSettings, graces, heartbeatIntervalMs, longestProcessPauseMs } from './consumer-settings.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import type { IntakeLimits } from '../../backpressure/intake-limits.ts';
import { withHooks, type ConsumerHooks } from '../kafkajs/hooks.ts';
import { GroupMembership } from './group-membership.ts';
import { pickTopics, PauseControl, type Partitions } from './pause-control.ts';
import type { SupervisedGroupConsumer } from './supervised-consumer.ts';
import type { RecreatedTopics } from './recreated-topics.ts';

export interface GroupConsumerOptions {
  readonly kafka: Kafka;
  /** Asks for what the group's commits say, before the partitions of these topics are read. */
  readonly readCommitted: (topics: readonly string[], signal: AbortSignal) => Promise<GroupCommits>;
  /** Outlives this consumer. */
  readonly recreatedTopics: RecreatedTopics;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
  /** Of all partitions of a broker together: a fetch waits for so much, `maxWaitTimeInMs` at most. */
  readonly minBytes: number;
  /** This process's name in its groups. */
  readonly instance: string;
  readonly intake: Intake;
  readonly limits: IntakeLimits;
  readonly events: KafkaEvents;
  readonly clock: Clock;
}

/** Decoding a batch that is too large costs as much as one that is not. */
const unreadableRetryMs = 30_000;

/**
 * One kafkajs consumer, from start to stop or crash: it joins the group, commits what is settled without a gap, and
 * gives partitions up only when nothing of them is under way.
 */
export class GroupConsumer implements SupervisedGroupConsumer {
  readonly #options: GroupConsumerOptions;
  readonly #consumer: Consumer;
  readonly #hooks: ConsumerHooks;
  readonly #membership: GroupMembership;
  readonly #pauseControl: PauseControl;
  readonly #admission: Admission;
  readonly #committer: OffsetCommitter;
  #processPauseWatch: Disposable | undefined;
  readonly #crashed = Promise.withResolvers<Error>();
  #state: 'joining' | 'reading' | 'stopping' = 'joining';
  #starting: Promise<void> = Promise.resolve();
  /** Ends with the generation for which what is settled is asked for. */
  #startAbort = new AbortController();

  constructor(options: GroupConsumerOptions) {
    this.#options = options;
    this.#hooks = {
      beforeRejoin: async ({ kicked }) => this.#beforeRejoin(kicked),
      offsetReset: ({ topic, partition, from, to }) => {
        options.events.offsetReset({ topic, partition, from, to });
        this.#admission.restart(topic, partition, to);
      },
      unreadable: ({ topic, partition, offset, error }) => {
        options.events.partitionUnreadable({ topic, partition, offset, error, retryInMs: unreadableRetryMs });
        const retry = sleep(options.clock, unreadableRetryMs, this.#startAbort.signal);
        this.#admission.pauseUntil({ topic, partition, offset }, retry);
      },
    };
    this.#consumer = options.kafka.consumer({
      ...consumerSettings,
      groupId: options.groupId,
      minBytes: options.minBytes,
      sessionTimeout: options.sessionTimeoutMs,
      heartbeatInterval: heartbeatIntervalMs(options.sessionTimeoutMs),
      partitionAssigners: [withHooks(this.#hooks, createAssignor(options.instance))],
    });
    this.#membership = new GroupMembership({
      consumer: this.#consumer,
      sessionTimeoutMs: options.sessionTimeoutMs,
      clock: options.clock,
    });
    this.#pauseControl = new PauseControl(this.#consumer, (gone) => options.events.topicGone(gone));
    this.#admission = new Admission({
      intake: options.intake,
      limits: options.limits,
      clock: options.clock,
      isReading: () => this.#state === 'reading',
      pause: ({ topic, partition }) => this.#pauseControl.turn('pause', { [topic]: [partition] }),
      resume: ({ topic, partition }) => this.#pauseControl.turn('resume', { [topic]: [partition] }),
      onBroken: (error) => this.#crashed.resolve(error),
    });
    this.#committer = new OffsetCommitter({
      assignment: () => this.#admission.assignment,
      commit: async (offsets) => this.#hooks.commit?.(offsets),
      committed: () => this.#admission.resumeEased(),
      failed: (error) => {
        this.#membership.commitRefused(error);
        options.events.commitFailed({ groupId: options.groupId, error });
      },
      clock: options.clock,
    });
  }

  /** Resolves to why, once the consumer has stopped for good. */
  get crashed(): Promise<Error> {
    return this.#crashed.promise;
  }

  /** What it reads at present, and how far each partition is. */
  get assignment(): Assignment {
    return this.#admission.assignment;
  }

  /** Epoch milliseconds of the last thing the client did, whatever that was. */
  get lastActivityAt(): number {
    return this.#membership.lastActivityAt;
  }

  /** Resolves once it has joined its group, or was stopped before. */
  async start(): Promise<void> {
    this.#listen();
    this.#starting = this.#join();
    await this.#starting;
  }

  /** Rejects when no broker tells. */
  async recheckTopics(): Promise<void> {
    const { assignment } = this;
    const { recreatedTopics } = this.#options;
    const { ids, gone } = await recreatedTopics.fetchIds(this.#hooks, Object.keys(assignment.assigned));
    if (this.#state !== 'reading' || assignment.revoked) return;
    const remade = recreatedTopics.recordIds(ids);
    for (const [topic, id] of remade) assignment.topicRecreated(topic, id);
    this.#restartRecreated(pickTopics(assignment.assigned, [...remade.keys()]));
    this.#pauseControl.exclude(gone, assignment.assigned);
  }

  /** Stops reading, waits for what is under way, commits and leaves the group. Resolves to whether all was settled. */
  async stop(graceMs: number): Promise<boolean> {
    const { clock } = this.#options;
    this.#state = 'stopping';
    this.#startAbort.abort();
    this.#pauseAll();
    // A consumer that disconnects during its first join never leaves: the group would wait a session timeout for it
    // (github.com/tulios/kafkajs/issues/1639).
    await within(
      clock,
      graces.firstJoinMs,
      this.#starting.catch(() => undefined),
    );
    const drained = await this.#releasePartitions(graceMs);
    this.#committer[Symbol.dispose]();
    this.#processPauseWatch?.[Symbol.dispose]();
    await within(
      clock,
      graces.leaveMs,
      this.#consumer.disconnect().catch(() => undefined),
    );
    return drained;
  }

  async #join(): Promise<void> {
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [...this.#options.topics], fromBeginning: true });
    if (this.#isStopping) return;
    await this.#consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async (payload) => this.#eachBatch(payload),
    });
    if (this.#isStopping) return;
    this.#committer.start();
    this.#processPauseWatch = watchProcessPauses({
      clock: this.#options.clock,
      longestMs: longestProcessPauseMs(this.#options.sessionTimeoutMs),
      paused: (ms) => this.#processPaused(ms),
    });
  }

  /** Asked after each wait: the state may have changed meanwhile. */
  get #isStopping(): boolean {
    return this.#state === 'stopping';
  }

  #listen(): void {
    const { GROUP_JOIN, CRASH, END_BATCH_PROCESS } = this.#consumer.events;
    this.#consumer.on(GROUP_JOIN, ({ payload }) => this.#joined(payload));
    this.#consumer.on(CRASH, ({ payload }) => this.#crash(payload));
    this.#consumer.on(END_BATCH_PROCESS, ({ payload: { topic, partition, batchSize, lastOffset } }) => {
      if (batchSize === 0) this.#admission.skipTo(topic, partition, Number(lastOffset) + 1);
    });
  }

  #joined({ memberAssignment }: ConsumerGroupJoinEvent['payload']): void {
    const { events, groupId } = this.#options;
    if (this.#state === 'stopping') return;
    this.#state = 'joining';
    events.consumerJoined({ groupId, assignment: memberAssignment });
    this.#pauseControl.turn('pause', memberAssignment);
    void this.#begin(memberAssignment);
  }

  /** Never rejects: what it waits for is given up when the assignment is. */
  async #begin(assigned: Partitions): Promise<void> {
    this.#startAbort.abort();
    this.#startAbort = new AbortController();
    const { signal } = this.#startAbort;
    try {
      const topics = Object.keys(assigned);
      const committed = await this.#options.readCommitted(topics, signal);
      const { ids, gone } = await this.#options.recreatedTopics.fetchIdsWithRetry(this.#hooks, topics, signal);
      if (signal.aborted) return;
      const ownershipUnconfirmed = (): Promise<void> | undefined => this.#membership.ownershipUnconfirmed;
      this.#admission.begin(
        new Assignment(assigned, { settledBefore: committed.settledBefore, ids, ownershipUnconfirmed }),
      );
      this.#state = 'reading';
      this.#options.recreatedTopics.recordIds(ids);
      this.#restartRecreated(committed.partitionsOfRecreatedTopics(assigned, ids));
      this.#pauseControl.exclude(gone, assigned);
      // kafkajs keeps partitions paused across a join; left so they would never be read again.
      this.#pauseControl.turn('resume', assigned);
    } catch (error) {
      if (!signal.aborted) this.#crashed.resolve(new Error('reading can not begin', { cause: error }));
    }
  }

  /** Their topics were deleted and made anew: position and commit are of the old one. A log begins at 0. */
  #restartRecreated(remade: Partitions): void {
    for (const [topic, partitions] of Object.entries(remade)) {
      if (partitions.length === 0) continue;
      this.#options.events.topicRecreated({ topic, partitions });
      for (const partition of partitions) {
        this.#consumer.seek({ topic, partition, offset: '0' });
        this.#admission.restart(topic, partition, 0);
      }
    }
  }

  #crash({ error, restart }: ConsumerCrashEvent['payload']): void {
    const { events, groupId } = this.#options;
    this.#loseAssignment();
    if (restart) events.consumerCrashed({ groupId, error, restarting: true });
    else this.#crashed.resolve(error);
  }

  async #beforeRejoin(kicked: boolean): Promise<void> {
    if (kicked) return this.#loseAssignment();
    // Also while it stops: the group deals our partitions to others, whether what is under way of them has ended or not.
    if (this.#state === 'reading') this.#state = 'joining';
    this.#startAbort.abort();
    this.#pauseAll();
    await this.#releasePartitions(graces.rebalanceMs);
  }

  /** The group took the partitions from us: whoever has them now reads again what is not committed. */
  #loseAssignment(): void {
    if (this.#state === 'reading') this.#state = 'joining';
    this.#startAbort.abort();
    this.#admission.assignment.revoke();
    this.#options.intake.drain();
  }

  /** The barrier: when it is over, nothing of the assignment is under way and all that is settled is committed. */
  async #releasePartitions(graceMs: number): Promise<boolean> {
    const { intake, clock } = this.#options;
    const { inFlight: handling, assignment } = this.#admission;
    assignment.prepareToRevoke();
    intake.drain();
    if (!(await within(clock, graceMs, handling.empty()))) intake.abort();
    const drained = await within(clock, graces.handoverMs, handling.empty());
    await within(clock, graces.handoverMs, this.#committer.commitLast());
    assignment.revoke();
    return drained;
  }

  /** Never throws, and never waits for a delivery. What is neither resolved nor kept is fetched again. */
  async #eachBatch(payload: EachBatchPayload): Promise<void> {
    if (this.#state !== 'reading' || payload.isStale()) return;
    const done = this.#admission.admitBatch(payload.batch);
    if (done !== undefined) payload.resolveOffset(done);
  }

  /** A batch that is not resolved is fetched again at once, so what is not to be read is paused. */
  #pauseAll(): void {
    this.#pauseControl.turn('pause', this.#admission.assignment.assigned);
  }

  /**
   * This process stood still for about as long as the group waits for a member, so its partitions may be others' by now:
   * what is in its socket buffers and waiting rooms must not be delivered as well.
   */
  #processPaused(stoodStillMs: number): void {
    this.#loseAssignment();
    this.#crashed.resolve(new ProcessPausedError(stoodStillMs));
  }
}
