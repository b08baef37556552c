/** The reason why records at the fetched position can't be decoded: they are damaged or too large for memory. */
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

/** Stores the reason on the list of records, which is all that a decoder can return. */
export function markUnreadable(records: readonly unknown[], cause: unknown): void {
  Object.assign(records, { [unreadable]: new UnreadableRecordsError(cause) } satisfies Marked);
}

export function unreadableOf(records: readonly unknown[] & Marked): UnreadableRecordsError | undefined {
  return records[unreadable];
}
