import type { SourceRecord } from '../../../src/certificates/record.ts';
import type { DeadLetterFilter } from '../../../src/cli/command.ts';
import { runReplay, type ReplayOptions, type ReplayTools } from '../../../src/cli/dead-letters/replay.ts';
import { deadLetterPosition, markerHeaders, replayHeaders } from '../../../src/kafka/records/replay-headers.ts';
import { headerText } from '../../../src/certificates/record.ts';
import { aCertificate, aRecord } from '../../support/builders.ts';
import { defaultSettings } from '../../support/service/default-settings.ts';
import { noConditions } from '../../../src/cli/listing/selection.ts';
import { deadDelivery, deadRecord, theDelivery } from './dead-letters.ts';
import { MemoryTopic } from './memory-topic.ts';

export const minute = 60_000;
const certificates = 'certificates.completed';

/** The webhooks that want each record that is planned again. */
const webhookIds = ['one', 'other'] as const;

export type LetterKind = 'delivery of one' | 'delivery of other' | 'record' | 'record of a tier';

interface Letter {
  readonly kind: LetterKind;
  readonly record: SourceRecord;
  /** Number of killed runs that wrote one of its deliveries and did not mark it. */
  kills: number;
}

export interface Run {
  readonly filter: Partial<DeadLetterFilter>;
  /** Number of records after which the run is killed. Undefined if it ends. */
  readonly killedAfter: number | undefined;
  /** Difference in ms between the clock of this run and that of the service. */
  readonly skewMs: number;
}

/** The process ends. */
class KilledError extends Error {
  override readonly name = 'KilledError';
}

/** Dead letters, the first tier, and the replays that run on them one after the other. */
export class ReplayModel {
  readonly #settings = defaultSettings();
  readonly #deadLetters = new MemoryTopic(this.#settings.deadLetters.topic, 2);
  readonly #tier = new MemoryTopic(`${this.#settings.retry.topicPrefix}.10s`, 2);
  readonly letters: Letter[] = [];
  /** Numbers of repeated dead letters: those that a run printed, and those that it wrote. */
  readonly repeats: { readonly printed: number; readonly written: number }[] = [];
  #now = Date.UTC(2026, 10, 1);

  pass(ms: number): void {
    this.#now += ms;
  }

  fail(kind: LetterKind): void {
    const index = this.letters.length;
    const letter = this.#deadLetters.append(index % 2, this.#deadLetter(kind, index), this.#now);
    this.letters.push({ kind, record: letter, kills: 0 });
    this.#now += 1;
  }

  async replay({ filter, killedAfter, skewMs }: Run): Promise<void> {
    const writtenBefore = this.letters.map(({ record }) => this.#copies(record));
    const isMarkedBefore = this.letters.map(({ record }) => this.isMarked(record));
    const lines: string[] = [];
    const terminal = {
      out: (line: string) => void lines.push(line),
      err: () => undefined,
      signal: new AbortController().signal,
    };
    const command = { verb: 'replay', filter: { ...noConditions, ...filter }, again: false, dryRun: false } as const;
    const run = runReplay(command, this.#tools(killedAfter, skewMs), terminal);
    const isKilled = await run.then(
      () => false,
      (error: unknown) => {
        if (error instanceof KilledError) return true;
        throw error;
      },
    );
    const isWritten = this.letters.map(({ record }, index) => this.#copies(record) > (writtenBefore[index] ?? 0));
    if (isKilled) {
      for (const [index, letter] of this.letters.entries())
        if (isWritten[index] === true && !this.isMarked(letter.record)) letter.kills += 1;
      return;
    }
    const repeated = this.letters.filter(
      (_, index) => isWritten[index] === true && (writtenBefore[index] ?? 0) > 0 && isMarkedBefore[index] === false,
    );
    const printed = lines.find((line) => line.includes('may come twice')) ?? '0';
    this.repeats.push({ printed: Number(printed.replace(/^.* /, '')), written: repeated.length });
  }

  /** Returns how often the first tier holds each delivery of a dead letter. */
  copiesByDelivery({ record }: Letter): readonly number[] {
    const copies = Map.groupBy(this.#written(record), ({ headers }) => headerText(headers, 'delivery-id'));
    return [...copies.values()].map((each) => each.length);
  }

  /** Returns the number of deliveries of a dead letter. */
  wantedDeliveries({ kind }: Letter): number {
    return kind === 'record' ? webhookIds.length : 1;
  }

  isMarked(letter: SourceRecord): boolean {
    const markers = this.#deadLetters.records.filter(({ value }) => value === null);
    return markers.some(({ headers }) => isOf(headers, letter));
  }

  #copies(letter: SourceRecord): number {
    return this.#written(letter).length;
  }

  #written(letter: SourceRecord): readonly SourceRecord[] {
    return this.#tier.records.filter(({ headers }) => isOf(headers, letter));
  }

  #deadLetter(kind: LetterKind, index: number): ReturnType<typeof deadDelivery> {
    const failedAt = this.#now;
    switch (kind) {
      case 'delivery of one':
      case 'delivery of other': {
        const delivery = theDelivery(certificates, index, { webhookId: kind.replace('delivery of ', '') });
        return deadDelivery(delivery, { failedAt });
      }
      case 'record':
        return deadRecord(aRecord({ topic: certificates, offset: index }), 'undecodable', failedAt);
      case 'record of a tier': {
        const { headers } = this.#ofTier(index);
        return deadRecord(
          { ...aRecord({ topic: this.#tier.name, offset: index }), headers },
          'internal_error',
          failedAt,
        );
      }
    }
  }

  #ofTier(index: number): SourceRecord {
    const delivery = theDelivery(certificates, index, { webhookId: 'one' });
    return aRecord({ headers: replayHeaders(delivery, this.#now, undefined) });
  }

  #tools(killedAfter: number | undefined, skewMs: number): ReplayTools {
    const now = (): number => this.#now + skewMs;
    let left = killedAfter ?? Number.POSITIVE_INFINITY;
    const append = (topic: MemoryTopic, partition: number, record: Parameters<MemoryTopic['append']>[1]): void => {
      if (left === 0) throw new KilledError();
      left -= 1;
      this.#now += 1;
      topic.append(partition, record, now());
    };
    const topics = [this.#deadLetters, this.#tier];
    return {
      settings: this.#settings,
      screen: { clock: { now, monotonic: now }, err: () => undefined, bar: undefined },
      scan: (name) => Promise.resolve((topics.find((topic) => topic.name === name) ?? this.#tier).scan()),
      planner: () => Promise.resolve(planner),
      writer: () =>
        Promise.resolve({
          publishRetries: async (deliveries) => {
            for (const { delivery, letter } of deliveries) {
              const { key, body: value, source } = delivery;
              append(this.#tier, source.partition, { key, value, headers: replayHeaders(delivery, now(), letter) });
            }
            return Promise.resolve(deliveries.map(() => 'written' as const));
          },
          markReplayed: async (letters) => {
            for (const letter of letters) {
              const { key, partition } = letter.record;
              append(this.#deadLetters, partition, { key, value: null, headers: markerHeaders(letter, now()) });
            }
            return Promise.resolve();
          },
        }),
    };
  }
}

/** Plans a delivery for each of `webhookIds`, whatever the record holds. */
const planner: ReplayOptions['planner'] = {
  decode: () => Promise.resolve({ kind: 'certificate', certificate: aCertificate() }),
  webhooks: () => Promise.resolve({ ofOwner: () => [] }),
  plan: ({ topic, partition, offset, timestamp }) =>
    webhookIds.map((webhookId) =>
      theDelivery(topic, offset, { webhookId, source: { topic, partition, offset, timestamp } }),
    ),
};

function isOf(headers: SourceRecord['headers'], { partition, offset }: SourceRecord): boolean {
  const position = deadLetterPosition(headers);
  return position?.partition === partition && position.offset === offset;
}
