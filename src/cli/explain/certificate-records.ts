import type { Decoded, EventType } from '../../certificates/certificate.ts';
import type { SourceRecord } from '../../certificates/record.ts';
import { unsettledBefore } from '../../kafka/consumer/commits/group-commits.ts';
import { positionText, type RecordPosition } from '../command.ts';
import type { Planner } from '../planner.ts';
import type { GroupTopic } from '../tiers.ts';
import { ByteSearch } from './byte-search.ts';

/** The certificate that is asked about. */
export interface Wanted {
  readonly ownerId: string | undefined;
  /** Returns false only for a value that can't hold it. */
  mayBeIn(value: Buffer): boolean;
  /** Returns true if a value that can't be decoded seems to hold it. */
  isIn(value: Buffer): boolean;
  isId(certificateId: string): boolean;
}

export function wantedCertificate(id: string, ownerId: string | undefined): Wanted {
  const search = new ByteSearch(id);
  const owner = ownerId === undefined ? undefined : new ByteSearch(ownerId);
  return {
    ownerId,
    mayBeIn: (value) => search.mayBeIn(value),
    isIn: (value) => search.isIn(value) && (owner?.isIn(value) ?? true),
    isId: (certificateId) => certificateId === id,
  };
}

/** A record of a certificate topic that holds the certificate, or seems to. */
export interface FoundRecord extends RecordPosition {
  readonly timestamp: number | undefined;
  readonly content: RecordContent;
  /** False if the record is known from what became of it alone: its topic does not hold it, or not since the given time. */
  readonly isInTopic: boolean;
}

type RecordContent =
  { readonly kind: 'certificate'; readonly ownerId: string; readonly eventType: EventType | undefined } | RecordProblem;

export type RecordProblem =
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'rejected'; readonly reason: string; readonly message: string };

/** The progress of the group that reads the certificate topics at one record. */
export type RecordProgress =
  | { readonly state: 'settled' }
  /** `before` is the number of records before it that are not settled. */
  | { readonly state: 'unsettled'; readonly committedOffset: number; readonly before: number }
  | { readonly state: 'uncommitted' };

interface CertificateRecordsOptions {
  readonly wanted: Wanted;
  readonly planner: Pick<Planner, 'decode'>;
  readonly maxRecords: number;
}

/** The records that hold the certificate. Owns at most `maxRecords` of them, without their values. */
export class CertificateRecords {
  readonly #options: CertificateRecordsOptions;
  readonly #records = new Map<string, FoundRecord>();
  /** Records that are left out, because there are too many. */
  omitted = 0;

  constructor(options: CertificateRecordsOptions) {
    this.#options = options;
  }

  get all(): readonly FoundRecord[] {
    return [...this.#records.values()].toSorted((one, other) => (one.timestamp ?? 0) - (other.timestamp ?? 0));
  }

  /** Returns the ids of the owners of all certificates that were found. */
  get owners(): ReadonlySet<string> {
    return new Set(this.all.flatMap(({ content }) => (content.kind === 'certificate' ? content.ownerId : [])));
  }

  has(position: string): boolean {
    return this.#records.has(position);
  }

  /** Decodes a record if it may hold the certificate, and adds it if it does. */
  take(record: SourceRecord, isInTopic = true): Promise<void> | undefined {
    const { wanted } = this.#options;
    return record.value !== null && wanted.mayBeIn(record.value) ? this.#decode(record, isInTopic) : undefined;
  }

  add(found: FoundRecord): void {
    const position = positionText(found);
    if (this.#records.has(position)) return;
    if (this.#records.size < this.#options.maxRecords) this.#records.set(position, found);
    else this.omitted += 1;
  }

  async #decode(record: SourceRecord, isInTopic: boolean): Promise<void> {
    const { topic, partition, offset, timestamp, value } = record;
    const content = this.#contentOf(await this.#options.planner.decode(record), value);
    if (content !== undefined) this.add({ topic, partition, offset, timestamp, content, isInTopic });
  }

  #contentOf(decoded: Decoded, value: Buffer | null): RecordContent | undefined {
    const { wanted } = this.#options;
    if (decoded.kind === 'certificate') {
      const { id, ownerId, eventType } = decoded.certificate;
      const isWanted = wanted.isId(id) && (wanted.ownerId ?? ownerId) === ownerId;
      return isWanted ? { kind: 'certificate', ownerId, eventType } : undefined;
    }
    // Its fields can't be read, so its bytes have to do.
    if (value === null || !wanted.isIn(value)) return undefined;
    return decoded.kind === 'ignored' ? decoded : { kind: 'rejected', ...decoded.rejection };
  }
}

export function progressOf(
  { topic, partition, offset }: RecordPosition,
  topics: readonly GroupTopic[],
): RecordProgress {
  const open = topics.find(({ scan }) => scan.topic === topic);
  const progress = open?.progressOf(partition);
  if (open === undefined || progress === undefined) return { state: 'uncommitted' };
  if (open.isSettled(partition, offset)) return { state: 'settled' };
  return { state: 'unsettled', committedOffset: progress.offset, before: unsettledBefore(progress, offset) };
}
