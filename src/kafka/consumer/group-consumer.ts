import type { Consumer, ConsumerCrashEvent, ConsumerGroupJoinEvent, EachBatchPayload, Kafka } from 'kafkajs';
import { sleep, type Clock } from '../../lib/clock.ts';
import { StoodStillError, watchStandstill } from '../../lib/process-pause-watch.ts';
import { within } from '../../lib/within.ts';
import { Admission, type Intake } from './admission.ts';
import { createAssigner } from './assignor.ts';
import { Assignment } from './assignment.ts';
import type { Committed } from './group-commits.ts';
import { Committer } from './offset-committer.ts';
import { consumerSettings, graces, heartbeatIntervalMs, longestStandstillMs } from './consumer-settings.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import type { IntakeLimits } from '../../backpressure/intake-limits.ts';
import { withHooks, type ConsumerHooks } from '../kafkajs/hooks.ts';
import { Membership } from './group-membership.ts';
import { pickTopics, ReadingSwitch, type Partitions } from './pause-control.ts';
import type { SupervisedGroupConsumer } from './supervised-consumer.ts';
import type { TopicIdentities } from './recreated-topics.ts';

export interface GroupConsumerParts {
  readonly kafka: Kafka;
  /** Asks for what the group's commits say, before the partitions of these topics are read. */
  readonly readCommitted: (topics: readonly string[], signal: AbortSignal) => Promise<Committed>;
  /** Outlives this consumer. */
  readonly identities: TopicIdentities;
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
  readonly #parts: GroupConsumerParts;
  readonly #consumer: Consumer;
  readonly #hooks: ConsumerHooks;
  readonly #membership: Membership;
  readonly #reading: ReadingSwitch;
  readonly #admission: Admission;
  readonly #committer: Committer;
  #standstillWatch: Disposable | undefined;
  readonly #crashed = Promise.withResolvers<Error>();
  #state: 'joining' | 'reading' | 'stopping' = 'joining';
  #starting: Promise<void> = Promise.resolve();
  /** Ends with the generation for which what is settled is asked for. */
  #asking = new AbortController();

  constructor(parts: GroupConsumerParts) {
    this.#parts = parts;
    this.#hooks = {
      beforeRejoin: async ({ kicked }) => this.#beforeRejoin(kicked),
      offsetReset: ({ topic, partition, from, to }) => {
        parts.events.offsetReset({ topic, partition, from, to });
        this.#admission.restart(topic, partition, to);
      },
      unreadable: ({ topic, partition, offset, error }) => {
        parts.events.partitionUnreadable({ topic, partition, offset, error, retryInMs: unreadableRetryMs });
        const retry = sleep(parts.clock, unreadableRetryMs, this.#asking.signal);
        this.#admission.holdUp({ topic, partition, offset }, retry);
      },
    };
    this.#consumer = parts.kafka.consumer({
      ...consumerSettings,
      groupId: parts.groupId,
      minBytes: parts.minBytes,
      sessionTimeout: parts.sessionTimeoutMs,
      heartbeatInterval: heartbeatIntervalMs(parts.sessionTimeoutMs),
      partitionAssigners: [withHooks(this.#hooks, createAssigner(parts.instance))],
    });
    this.#membership = new Membership({
      consumer: this.#consumer,
      sessionTimeoutMs: parts.sessionTimeoutMs,
      clock: parts.clock,
    });
    this.#reading = new ReadingSwitch(this.#consumer, (gone) => parts.events.topicGone(gone));
    this.#admission = new Admission({
      intake: parts.intake,
      limits: parts.limits,
      clock: parts.clock,
      isReading: () => this.#state === 'reading',
      pause: ({ topic, partition }) => this.#reading.turn('pause', { [topic]: [partition] }),
      resume: ({ topic, partition }) => this.#reading.turn('resume', { [topic]: [partition] }),
      onBroken: (error) => this.#crashed.resolve(error),
    });
    this.#committer = new Committer({
      assignment: () => this.#admission.assignment,
      commit: async (offsets) => this.#hooks.commit?.(offsets),
      taken: () => this.#admission.resumeEased(),
      failed: (error) => {
        this.#membership.refused(error);
        parts.events.commitFailed({ groupId: parts.groupId, error });
      },
      clock: parts.clock,
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
  get lastSignAt(): number {
    return this.#membership.lastSignAt;
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
    const { identities } = this.#parts;
    const { ids, gone } = await identities.ask(this.#hooks, Object.keys(assignment.assigned));
    if (this.#state !== 'reading' || assignment.isOver) return;
    const remade = identities.note(ids);
    for (const [topic, id] of remade) assignment.becomeAnother(topic, id);
    this.#startOver(pickTopics(assignment.assigned, [...remade.keys()]));
    this.#reading.leaveOut(gone, assignment.assigned);
  }

  /** Stops reading, waits for what is under way, commits and leaves the group. Resolves to whether all was settled. */
  async stop(graceMs: number): Promise<boolean> {
    const { clock } = this.#parts;
    this.#state = 'stopping';
    this.#asking.abort();
    this.#pauseAll();
    // A consumer that disconnects during its first join never leaves: the group would wait a session timeout for it
    // (github.com/tulios/kafkajs/issues/1639).
    await within(
      clock,
      graces.firstJoinMs,
      this.#starting.catch(() => undefined),
    );
    const drained = await this.#giveUp(graceMs);
    this.#committer[Symbol.dispose]();
    this.#standstillWatch?.[Symbol.dispose]();
    await within(
      clock,
      graces.leaveMs,
      this.#consumer.disconnect().catch(() => undefined),
    );
    return drained;
  }

  async #join(): Promise<void> {
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [...this.#parts.topics], fromBeginning: true });
    if (this.#isStopping) return;
    await this.#consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async (payload) => this.#eachBatch(payload),
    });
    if (this.#isStopping) return;
    this.#committer.start();
    this.#standstillWatch = watchStandstill({
      clock: this.#parts.clock,
      longestMs: longestStandstillMs(this.#parts.sessionTimeoutMs),
      stoodStill: (ms) => this.#wakeUp(ms),
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
    const { events, groupId } = this.#parts;
    if (this.#state === 'stopping') return;
    this.#state = 'joining';
    events.consumerJoined({ groupId, assignment: memberAssignment });
    this.#reading.turn('pause', memberAssignment);
    void this.#begin(memberAssignment);
  }

  /** Never rejects: what it waits for is given up when the assignment is. */
  async #begin(assigned: Partitions): Promise<void> {
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    try {
      const topics = Object.keys(assigned);
      const committed = await this.#parts.readCommitted(topics, signal);
      const { ids, gone } = await this.#parts.identities.insist(this.#hooks, topics, signal);
      if (signal.aborted) return;
      const doubt = (): Promise<void> | undefined => this.#membership.doubt;
      this.#admission.begin(new Assignment(assigned, { settledBefore: committed.settledBefore, ids, doubt }));
      this.#state = 'reading';
      this.#parts.identities.note(ids);
      this.#startOver(committed.ofOtherLogs(assigned, ids));
      this.#reading.leaveOut(gone, assigned);
      // kafkajs keeps partitions paused across a join; left so they would never be read again.
      this.#reading.turn('resume', assigned);
    } catch (error) {
      if (!signal.aborted) this.#crashed.resolve(new Error('reading can not begin', { cause: error }));
    }
  }

  /** Their topics were deleted and made anew: position and commit are of the old one. A log begins at 0. */
  #startOver(remade: Partitions): void {
    for (const [topic, partitions] of Object.entries(remade)) {
      if (partitions.length === 0) continue;
      this.#parts.events.topicRemade({ topic, partitions });
      for (const partition of partitions) {
        this.#consumer.seek({ topic, partition, offset: '0' });
        this.#admission.restart(topic, partition, 0);
      }
    }
  }

  #crash({ error, restart }: ConsumerCrashEvent['payload']): void {
    const { events, groupId } = this.#parts;
    this.#loseAssignment();
    if (restart) events.consumerCrashed({ groupId, error, restarting: true });
    else this.#crashed.resolve(error);
  }

  async #beforeRejoin(kicked: boolean): Promise<void> {
    if (kicked) return this.#loseAssignment();
    // Also while it stops: the group deals our partitions to others, whether what is under way of them has ended or not.
    if (this.#state === 'reading') this.#state = 'joining';
    this.#asking.abort();
    this.#pauseAll();
    await this.#giveUp(graces.rebalanceMs);
  }

  /** The group took the partitions from us: whoever has them now reads again what is not committed. */
  #loseAssignment(): void {
    if (this.#state === 'reading') this.#state = 'joining';
    this.#asking.abort();
    this.#admission.assignment.end();
    this.#parts.intake.drain();
  }

  /** The barrier: when it is over, nothing of the assignment is under way and all that is settled is committed. */
  async #giveUp(graceMs: number): Promise<boolean> {
    const { intake, clock } = this.#parts;
    const { handling, assignment } = this.#admission;
    assignment.leave();
    intake.drain();
    if (!(await within(clock, graceMs, handling.empty()))) intake.cut();
    const drained = await within(clock, graces.handoverMs, handling.empty());
    await within(clock, graces.handoverMs, this.#committer.commitLast());
    assignment.end();
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
    this.#reading.turn('pause', this.#admission.assignment.assigned);
  }

  /**
   * This process stood still for about as long as the group waits for a member, so its partitions may be others' by now:
   * what is in its socket buffers and waiting rooms must not be delivered as well.
   */
  #wakeUp(stoodStillMs: number): void {
    this.#loseAssignment();
    this.#crashed.resolve(new StoodStillError(stoodStillMs));
  }
}
