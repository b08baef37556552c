import { setImmediate } from 'node:timers/promises';
import type { FetchedPartition, Offsets, TopicLog, LogRecord } from '../client/topic-log.ts';
import { aborted, unlessAborted } from '../../lib/aborted.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import { standstillPauseMs, TopicPositions } from './topic-positions.ts';

interface TopicReaderOptions {
  readonly log: TopicLog;
  readonly starts: Offsets;
  /** Returns undefined if these records can be applied, else a promise after which they can. `silentMs` came before them. */
  readonly prepare: (records: readonly LogRecord[], silentMs: number) => Promise<void> | undefined;
  readonly apply: (record: LogRecord, partition: number) => void;
  readonly progressed: () => void;
  /** Returns the time in ms for which a fetch without records may wait now. */
  readonly fetchWaitMs: () => number;
  /** Called when a broker could not be read from. It is not asked again until `follow` is called. */
  readonly faulted: (error: unknown) => void;
  readonly clock: MonotonicClock;
}

/** Records applied in one turn of the event loop. Each is parsed, and a response may hold thousands of them. */
const maxRecordsPerTurn = 200;

/** Reads a topic from its start and then follows it, in one loop for each broker that leads partitions of it. */
export class TopicReader implements AsyncDisposable {
  readonly #options: TopicReaderOptions;
  readonly #positions: TopicPositions;
  readonly #loops = new Map<number, Promise<void>>();
  /** The time at which each loop sent its last fetch. */
  readonly #sentAt = new Map<number, number>();
  /** The latest answer for each partition. Its promise resolves once it is applied. */
  readonly #applied = new Map<number, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #stopped = aborted(this.#stopping.signal);

  constructor(options: TopicReaderOptions) {
    this.#options = options;
    this.#positions = new TopicPositions(options.starts, options.clock.monotonic());
  }

  /** Starts a loop for each leader that has none, as of the log's last refresh. */
  follow(): void {
    if (this.#isStopped) return;
    for (const leader of new Set(this.#options.log.leaders().values())) this.#start(leader);
  }

  /** Returns the monotonic time at which the oldest fetch was sent that is not answered and applied. Infinite without one. */
  lastActivityAt(): number {
    return Math.min(...this.#loops.keys().map((leader) => this.#sentAt.get(leader) ?? Infinity));
  }

  get positions(): Omit<TopicPositions, 'advance'> {
    return this.#positions;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Stops. Fetches in flight end with the log. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await Promise.all(this.#loops.values());
  }

  #start(leader: number): void {
    if (this.#loops.has(leader)) return;
    const loop = this.#read(leader)
      .catch((error: unknown) => {
        if (!this.#isStopped) this.#options.faulted(error);
      })
      .finally(() => this.#loops.delete(leader));
    this.#loops.set(leader, loop);
  }

  async #read(leader: number): Promise<void> {
    const { log, fetchWaitMs, clock } = this.#options;
    while (!this.#isStopped) {
      const positions = this.#positions.of(this.#ledBy(leader));
      if (positions.size === 0) return;
      const sentAt = clock.monotonic();
      this.#sentAt.set(leader, sentAt);
      const fetching = log.fetch(leader, positions, fetchWaitMs());
      const fetched = await unlessAborted(this.#stopping.signal, fetching);
      for (const partition of fetched) await this.#applyInOrder(partition, sentAt);
      if (this.#isStopped) return;
      this.#options.progressed();
      const isEmpty = fetched.every(({ from, next, stableEnd }) => next === from && next < stableEnd);
      if (isEmpty) await sleep(clock, standstillPauseMs, this.#stopping.signal);
    }
  }

  /**
   * Applies the answers for a partition one after the other. The partition may get a new leader while the old one answers, and
   * both answers hold the same records. If they were applied at once, an old record could replace a newer one.
   */
  #applyInOrder(fetched: FetchedPartition, sentAt: number): Promise<void> {
    const previous = this.#applied.get(fetched.partition);
    const apply = (): Promise<void> => this.#apply(fetched, sentAt);
    const applied = previous === undefined ? apply() : previous.then(apply);
    this.#applied.set(
      fetched.partition,
      applied.catch(() => undefined),
    );
    return applied;
  }

  async #apply(fetched: FetchedPartition, sentAt: number): Promise<void> {
    const { prepare, apply } = this.#options;
    if (!this.#isNext(fetched)) return;
    const silentMs = fetched.next > fetched.from ? sentAt - this.#positions.knownAt(fetched.partition) : 0;
    const prepared = prepare(fetched.records, silentMs);
    if (prepared !== undefined) await Promise.race([prepared, this.#stopped]);
    if (!this.#isNext(fetched)) return;
    for (const [index, record] of fetched.records.entries()) {
      if (index > 0 && index % maxRecordsPerTurn === 0) {
        await setImmediate();
        if (!this.#isNext(fetched)) return;
      }
      apply(record, fetched.partition);
    }
    this.#positions.advance(fetched, sentAt);
  }

  /** Returns false for an answer whose records were applied from another answer. Two leaders may answer the same fetch. */
  #isNext({ partition, from }: FetchedPartition): boolean {
    return !this.#isStopped && this.#positions.of([partition]).get(partition) === from;
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #ledBy(leader: number): readonly number[] {
    return [...this.#options.log.leaders()].filter(([, by]) => by === leader).map(([partition]) => partition);
  }
}
