import type { Webhook } from './webhook.ts';

/** One webhook, or a set of several. Most owners have one, and a million sets of one would waste memory. */
type Owned<W> = W | Set<W>;

/** The webhooks by owner. Each change takes the same time, however many webhooks the owner has. */
export class OwnerIndex<W extends Webhook> {
  readonly #owned = new Map<string, Owned<W>>();

  /** Returns a list of the caller's own, in the order in which the webhooks were added. */
  of(ownerId: string): readonly W[] {
    const owned = this.#owned.get(ownerId);
    if (owned === undefined) return [];
    return owned instanceof Set ? [...owned] : [owned];
  }

  /** Adds a webhook. One without an owner id is ignored. */
  add(webhook: W): void {
    const { ownerId } = webhook;
    if (ownerId === undefined) return;
    const owned = this.#owned.get(ownerId);
    if (owned === undefined) this.#owned.set(ownerId, webhook);
    else if (owned instanceof Set) owned.add(webhook);
    else this.#owned.set(ownerId, new Set([owned, webhook]));
  }

  remove(webhook: W): void {
    const { ownerId } = webhook;
    if (ownerId === undefined) return;
    const owned = this.#owned.get(ownerId);
    if (owned instanceof Set) {
      owned.delete(webhook);
      if (owned.size === 0) this.#owned.delete(ownerId);
    } else if (owned === webhook) {
      this.#owned.delete(ownerId);
    }
  }
}
