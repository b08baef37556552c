/** The records at the position that was asked for can't be decoded: damaged, or too large to be held. */
export class UnreadableRecordsError extends Error {
  override readonly name = 'UnreadableRecordsError';

  constructor(cause: unknown) {
    super("the records there can't be decoded", { cause });
  }
}

const unreadable: unique symbol = Symbol('unreadable');

interface Marked {
  readonly [unreadable]?: UnreadableRecordsError;
}

/** A decoder has nothing but the records to tell by why there are none. */
export function markUnreadable(records: readonly unknown[], cause: unknown): void {
  Object.assign(records, { [unreadable]: new UnreadableRecordsError(cause) } satisfies Marked);
}

export function unreadableOf(records: readonly unknown[] & Marked): UnreadableRecordsError | undefined {
  return records[unreadable];
}
