import type { LogRecord, Offsets, TopicLog } from './topic-log.ts';
import { TopicPositions } from './topic-positions.ts';

interface TopicReadingOptions {
  readonly log: TopicLog;
  /** Where each partition is read from. */
  readonly starts: Offsets;
  readonly apply: (record: LogRecord) => void;
  /** After each answer of a broker. */
  readonly progressed: () => void;
  /** A broker could not be read from, and is left alone until `follow` is called. */
  readonly faulted: (error: unknown) => void;
}

/** One reading of a topic, from its start and on: a loop for each broker that leads partitions of it. */
export class TopicReading implements AsyncDisposable {
  readonly #options: TopicReadingOptions;
  readonly #positions: TopicPositions;
  readonly #loops = new Map<number, Promise<void>>();
  #isStopped = false;

  constructor(options: TopicReadingOptions) {
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
    this.#isStopped = true;
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
      for (const { partition, from, next, end, records } of fetched) {
        // The partition moved here while its old leader answered, and that answer came first.
        if (this.#positions.of([partition]).get(partition) !== from) continue;
        for (const record of records) this.#options.apply(record);
        this.#positions.advance(partition, { position: next, end });
      }
      this.#options.progressed();
    }
  }

  #ledBy(leader: number): readonly number[] {
    return [...this.#options.log.leaders()].filter(([, by]) => by === leader).map(([partition]) => partition);
  }
}
