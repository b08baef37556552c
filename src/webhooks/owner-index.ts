/** The webhooks of an owner who has several. */
class Several<W> {
  readonly webhooks: Set<W>;
  /** The same webhooks; undefined after a change. All certificates that wait for their turn share one list. */
  list: readonly W[] | undefined;

  constructor(webhooks: Iterable<W>) {
    this.webhooks = new Set(webhooks);
  }
}

/** The webhooks by owner. Each change takes the same time, however many webhooks the owner has. */
export class OwnerIndex<W extends { readonly plannedOwnerId: string | undefined }> {
  /** Most owners have one webhook, and a million sets of one would waste memory. */
  readonly #owned = new Map<string, W | Several<W>>();

  /** Returns the webhooks in the order in which they were added. Later changes do not change the list. */
  of(ownerId: string): readonly W[] {
    const owned = this.#owned.get(ownerId);
    if (owned === undefined) return [];
    if (!(owned instanceof Several)) return [owned];
    owned.list ??= [...owned.webhooks];
    return owned.list;
  }

  /** Adds a webhook. One without an owner id is ignored. */
  add(webhook: W): void {
    const { plannedOwnerId: ownerId } = webhook;
    if (ownerId === undefined) return;
    const owned = this.#owned.get(ownerId);
    if (owned === undefined) this.#owned.set(ownerId, webhook);
    else if (owned instanceof Several) change(owned, (webhooks) => webhooks.add(webhook));
    else this.#owned.set(ownerId, new Several([owned, webhook]));
  }

  remove(webhook: W): void {
    const { plannedOwnerId: ownerId } = webhook;
    if (ownerId === undefined) return;
    const owned = this.#owned.get(ownerId);
    if (owned instanceof Several) {
      change(owned, (webhooks) => webhooks.delete(webhook));
      if (owned.webhooks.size === 0) this.#owned.delete(ownerId);
    } else if (owned === webhook) {
      this.#owned.delete(ownerId);
    }
  }
}

function change<W>(several: Several<W>, by: (webhooks: Set<W>) => void): void {
  by(several.webhooks);
  several.list = undefined;
}
