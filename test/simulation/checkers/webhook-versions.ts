import { eventTypes, type EventType } from '../../../src/certificates/certificate.ts';
import type { WebhookLimits } from '../../../src/webhooks/webhook.ts';
import type { LoggedRecord } from '../broker/partition-log.ts';

/** One record of the configurations topic. */
interface Version {
  /** The index of its entry in the history. */
  readonly index: number;
  /** Undefined if the record removes the webhook. */
  readonly settings: VersionSettings | undefined;
  readonly number: number;
}

interface VersionSettings {
  readonly ownerId: string;
  readonly enabled: boolean;
  readonly events: readonly EventType[];
  readonly limits: WebhookLimits | undefined;
}

/**
 * The configuration of each webhook over time. Reads the configurations topic without any code of the service, so that
 * a bug of the directory cannot hide here.
 */
export class WebhookVersions {
  readonly #versions = new Map<string, Version[]>();

  add(index: number, { key, value }: Pick<LoggedRecord, 'key' | 'value'>): void {
    const id = String(key);
    const versions = this.#versions.get(id) ?? [];
    const headBytes = value?.[0] === 0 ? 5 : 0;
    const document = value === null ? undefined : (JSON.parse(value.toString('utf8', headBytes)) as Document);
    const settings = document && {
      ownerId: document._ownerId,
      enabled: document.enabled,
      events: document.events ?? eventTypes,
      limits: document.limits,
    };
    versions.push({ index, settings, number: document?.version ?? 0 });
    this.#versions.set(id, versions);
  }

  /** Returns the webhooks that were subscribed to the owner's event for the whole interval. */
  subscribedThroughout(ownerId: string, eventType: EventType, { from, to }: Interval): readonly string[] {
    return [...this.#versions.keys()].filter((id) =>
      this.#during(id, { from, to }).every((version) => isSubscribed(version, ownerId, eventType)),
    );
  }

  /** Returns true if the webhook was at no time of the interval subscribed to the owner's event. */
  isUnsubscribedThroughout(id: string, ownerId: string, eventType: EventType, interval: Interval): boolean {
    return this.#during(id, interval).every((version) => !isSubscribed(version, ownerId, eventType));
  }

  ownerOf(id: string, number: number): string | undefined {
    return this.#settingsOf(id, number)?.ownerId;
  }

  limitsOf(id: string, number: number): WebhookLimits {
    return this.#settingsOf(id, number)?.limits ?? {};
  }

  #settingsOf(id: string, number: number): VersionSettings | undefined {
    return this.#versions.get(id)?.find((version) => version.number === number)?.settings;
  }

  /** Returns the version in force at the start, or undefined before the first, and all versions up to the end. */
  #during(id: string, { from, to }: Interval): readonly (Version | undefined)[] {
    const versions = this.#versions.get(id) ?? [];
    const atFirst = versions.findLast(({ index }) => index <= from);
    return [atFirst, ...versions.filter(({ index }) => index > from && index <= to)];
  }
}

/** Two indexes of history entries. The start is included, and so is the end. */
interface Interval {
  readonly from: number;
  readonly to: number;
}

interface Document {
  readonly _ownerId: string;
  readonly enabled: boolean;
  readonly events?: readonly EventType[];
  readonly limits?: WebhookLimits;
  readonly version: number;
}

function isSubscribed(version: Version | undefined, ownerId: string, eventType: EventType): boolean {
  const settings = version?.settings;
  return (
    settings !== undefined && settings.enabled && settings.ownerId === ownerId && settings.events.includes(eventType)
  );
}
