import { setImmediate } from 'node:timers/promises';
import { aborted } from '../../lib/aborted.ts';
import type { FetchedPartition, Offsets, TopicLog } from './topic-log.ts';
import type { LogRecord } from '../records/source-record.ts';
import { TopicPositions } from './topic-positions.ts';

interface TopicReaderOptions {
  readonly log: TopicLog;
  /** Where each partition is read from. */
  readonly starts: Offsets;
  /** Undefined when the record can be applied now; else a promise that resolves when it is worth asking again. */
  readonly whenReadable: (record: LogRecord) => Promise<void> | undefined;
  readonly apply: (record: LogRecord) => void;
  /** After each answer of a broker. */
  readonly progressed: () => void;
  /** A broker could not be read from, and is left alone until `follow` is called. */
  readonly faulted: (error: unknown) => void;
}

/** Everything else has a turn after so many records: a response may hold thousands, and each is parsed. */
const maxRecordsPerTurn = 200;

/** One reading of a topic, from its start and on: a loop for each broker that leads partitions of it. */
export class TopicReader implements AsyncDisposable {
  readonly #options: TopicReaderOptions;
  readonly #positions: TopicPositions;
  readonly #loops = new Map<number, Promise<void>>();
  /** By partition: the answer that is being applied, or was last. */
  readonly #applied = new Map<number, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #stopped = aborted(this.#stopping.signal);

  constructor(options: TopicReaderOptions) {
    this.#options = options;
    this.#positions = new TopicPositions(options.starts);
  }

  /** Reads from every leader that has no loop yet, as the log knows them now. New partitions are read from the start. */
  async follow(): Promise<void> {
    const { log } = this.#options;
    const fresh = [...log.leaders().keys()].filter((partition) => !this.#positions.has(partition));
    if (fresh.length > 0) this.#positions.add(await log.starts(fresh));
    if (this.#isStopped) return;
    for (const leader of new Set(log.leaders().values())) this.#start(leader);
  }

  positions(): Offsets {
    return this.#positions.all();
  }

  hasReached(ends: Offsets): boolean {
    return this.#positions.hasReached(ends);
  }

  lagRecords(): number {
    return this.#positions.lagRecords();
  }

  /** Nothing is applied from now on. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Also waits for the requests that are out. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await Promise.all(this.#loops.values());
  }

  #start(leader: number): void {
    if (this.#loops.has(leader)) return;
    const loop = this.#read(leader)
      .catch(this.#options.faulted)
      .finally(() => this.#loops.delete(leader));
    this.#loops.set(leader, loop);
  }

  async #read(leader: number): Promise<void> {
    while (!this.#isStopped) {
      const positions = this.#positions.of(this.#ledBy(leader));
      if (positions.size === 0) return;
      const fetched = await this.#options.log.fetch(leader, positions);
      if (this.#isStopped) return;
      for (const partition of fetched) await this.#applyInOrder(partition);
      if (this.#isStopped) return;
      this.#options.progressed();
    }
  }

  /**
   * The partition may move while its old leader answers, and both answers hold the same records: the second one waits for
   * the first, so that no record takes back what a later one has changed.
   */
  #applyInOrder(fetched: FetchedPartition): Promise<void> {
    const before = this.#applied.get(fetched.partition);
    const taken = before === undefined ? this.#apply(fetched) : before.then(() => this.#apply(fetched));
    this.#applied.set(
      fetched.partition,
      taken.catch(() => undefined),
    );
    return taken;
  }

  async #apply(fetched: FetchedPartition): Promise<void> {
    const { whenReadable, apply } = this.#options;
    if (!this.#isNext(fetched)) return;
    for (const [index, record] of fetched.records.entries()) {
      if (index > 0 && index % maxRecordsPerTurn === 0) {
        await setImmediate();
        if (!this.#isNext(fetched)) return;
      }
      for (let wait = whenReadable(record); wait !== undefined; wait = whenReadable(record)) {
        await Promise.race([wait, this.#stopped]);
        if (!this.#isNext(fetched)) return;
      }
      apply(record);
    }
    this.#positions.advance(fetched.partition, { position: fetched.next, end: fetched.end });
  }

  /** Of two leaders' answers from the same place, the one that was taken first counts. */
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
