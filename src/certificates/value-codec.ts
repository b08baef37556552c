/** What a codec makes of a record's value: the document to be judged, and the bytes that subscribers receive. */
export type Parsed =
  | { readonly kind: 'parsed'; readonly document: unknown; readonly body: Buffer }
  | { readonly kind: 'undecodable'; readonly message: string };

/** One format of a record's value. Its messages quote nothing of the value. */
export type Codec = (value: Buffer) => Parsed;
