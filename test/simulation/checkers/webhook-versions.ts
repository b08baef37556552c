import { eventTypes, type EventType } from '../../../src/certificates/certificate.ts';
import type { LoggedRecord } from '../broker/partition-log.ts';

/** What one record of the configurations topic says; nothing once the webhook is removed. */
interface Version {
  /** Of the entry in the history. */
  readonly index: number;
  readonly claim: Claim | undefined;
  readonly number: number;
}

interface Claim {
  readonly ownerId: string;
  readonly enabled: boolean;
  readonly events: readonly EventType[];
}

/** Whose each webhook was at each time, read from the configurations topic by rules of its own. */
export class WebhookVersions {
  readonly #versions = new Map<string, Version[]>();

  add(index: number, { key, value }: Pick<LoggedRecord, 'key' | 'value'>): void {
    const id = String(key);
    const versions = this.#versions.get(id) ?? [];
    const document = value === null ? undefined : (JSON.parse(value.toString()) as Document);
    const claim = document && {
      ownerId: document._ownerId,
      enabled: document.enabled,
      events: document.events ?? eventTypes,
    };
    versions.push({ index, claim, number: document?.version ?? 0 });
    this.#versions.set(id, versions);
  }

  /** Those that wanted the owner's event all the time between two entries of the history. */
  certain(ownerId: string, eventType: EventType, { from, to }: Span): readonly string[] {
    return [...this.#versions.keys()].filter((id) =>
      this.#during(id, { from, to }).every((version) => wants(version, ownerId, eventType)),
    );
  }

  /** Whether the webhook wanted the owner's event all the time between two entries of the history. */
  isCertain(id: string, ownerId: string, eventType: EventType, span: Span): boolean {
    return this.certain(ownerId, eventType, span).includes(id);
  }

  ownerOf(id: string, number: number): string | undefined {
    return this.#versions.get(id)?.find((version) => version.number === number)?.claim?.ownerId;
  }

  /** The one in force at the beginning, and those that came until the end; undefined before the first. */
  #during(id: string, { from, to }: Span): readonly (Version | undefined)[] {
    const versions = this.#versions.get(id) ?? [];
    const atFirst = versions.findLast(({ index }) => index <= from);
    return [atFirst, ...versions.filter(({ index }) => index > from && index <= to)];
  }
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

interface Document {
  readonly _ownerId: string;
  readonly enabled: boolean;
  readonly events?: readonly EventType[];
  readonly version: number;
}

function wants(version: Version | undefined, ownerId: string, eventType: EventType): boolean {
  const claim = version?.claim;
  return claim !== undefined && claim.enabled && claim.ownerId === ownerId && claim.events.includes(eventType);
}
