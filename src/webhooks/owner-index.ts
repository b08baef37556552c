import type { Webhook } from './webhook.ts';

/** One webhook, or a list of several. Most owners have one, and a million lists of one would waste memory. */
type Owned<W> = W | readonly W[];

/** The webhooks by owner. A returned list never changes. */
export class OwnerIndex<W extends Webhook> {
  readonly #owned = new Map<string, Owned<W>>();

  of(ownerId: string): readonly W[] {
    return toList(this.#owned.get(ownerId));
  }

  /** Adds a webhook. One without an owner id is ignored. */
  add(webhook: W): void {
    if (webhook.ownerId !== undefined) this.#put(webhook.ownerId, [...this.of(webhook.ownerId), webhook]);
  }

  remove(webhook: W): void {
    if (webhook.ownerId === undefined) return;
    this.#put(
      webhook.ownerId,
      this.of(webhook.ownerId).filter((other) => other !== webhook),
    );
  }

  #put(ownerId: string, webhooks: readonly W[]): void {
    const [first, second] = webhooks;
    if (first === undefined) this.#owned.delete(ownerId);
    else this.#owned.set(ownerId, second === undefined ? first : webhooks);
  }
}

function toList<W extends Webhook>(owned: Owned<W> | undefined): readonly W[] {
  if (owned === undefined) return [];
  return isList(owned) ? owned : [owned];
}

function isList<W extends Webhook>(owned: Owned<W>): owned is readonly W[] {
  return Array.isArray(owned);
}
