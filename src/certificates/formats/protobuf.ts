import protobuf from 'protobufjs';
import type { Format, SchemaDocument } from './format.ts';
import { addFile, addWellKnown, dropUnknownExtensions, type MessageNames, type ProtobufFile } from './protobuf-file.ts';
import { createMessageReader } from './protobuf-message.ts';
import { maxDepth, ReadingLimits, RecordTooComplexError, tooComplex, maxValues } from './reading-limits.ts';

/** Compiles a reader of Protobuf after Confluent's message indexes. Throws when the schema can't be used. */
export function compileProtobuf(schema: SchemaDocument): Format {
  const { messages, home } = parseFiles(schema);
  const readMessage = createMessageReader();
  return (payload) => {
    try {
      const reader = new RecordReader(payload);
      const type = messageAt(readIndexes(reader), messages, home);
      if (type === undefined) return contradiction('it has no such message');
      return { kind: 'plain', value: readMessage(type, type.decode(reader), new ReadingLimits()) };
    } catch (error) {
      return rejection(error);
    }
  };
}

/** The decoder's own message may quote the bytes, so it is dropped. */
function rejection(error: unknown): ReturnType<Format> {
  if (error instanceof RecordTooComplexError) return { kind: 'undecodable', message: error.message };
  const isTooDeep = error instanceof Error && error.message === 'max depth exceeded';
  if (isTooDeep) return rejection(tooComplex(`it is nested more than ${maxDepth} deep`));
  return contradiction('the bytes are those of no such message');
}

function contradiction(what: string): ReturnType<Format> {
  return { kind: 'undecodable', message: `the value contradicts its Protobuf schema: ${what}` };
}

/** Returns the schema's own file, whose messages the indexes count. */
function parseFiles({ text, references }: SchemaDocument): ProtobufFile {
  const root = new protobuf.Root();
  // References may add messages to the same package, so the own messages are listed before.
  const own = addFile(text, root);
  const others = references.map((reference) => addFile(reference.text, root));
  const provided = new Set(references.map(({ name }) => name));
  const imports = new Set([own, ...others].flatMap((file) => file.imports));
  for (const name of imports) if (!provided.has(name)) addWellKnown(name, root);
  dropUnknownExtensions(root);
  root.resolveAll();
  return own;
}

/** Reads the position of the message: its index in the file, then its index within that message, and so on. */
function readIndexes(reader: protobuf.Reader): readonly number[] {
  const depth = reader.sint32();
  // A single zero stands for the first message of the file, the most common case.
  if (depth === 0) return [0];
  if (depth < 0 || depth > reader.len) throw new RangeError('there are fewer indexes than announced');
  return Array.from({ length: depth }, () => reader.sint32());
}

function messageAt(
  indexes: readonly number[],
  messages: readonly MessageNames[],
  home: protobuf.NamespaceBase,
): protobuf.Type | undefined {
  const [first = 0, ...inner] = indexes;
  const names = messages[first];
  const message = home.get(names?.name ?? '');
  if (names === undefined || !(message instanceof protobuf.Type)) return undefined;
  return inner.length === 0 ? message : messageAt(inner, names.nestedType, message);
}

/** A value takes at most a tag, and in a map the tags of its entry and key, and a 64-bit integer. */
const maxReads = 4 * maxValues;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the bytes of one record, and bounds their fields and 64-bit integers, which are what takes time. Rejects texts that
 * end early or are not UTF-8, which the reader of the library accepts.
 */
class RecordReader extends protobuf.Reader {
  #reads = 0;

  override string(): string {
    return utf8.decode(this.bytes());
  }

  override tag(): number {
    this.#count();
    return super.tag();
  }

  override int64(): ReturnType<protobuf.Reader['int64']> {
    this.#count();
    return super.int64();
  }

  override uint64(): ReturnType<protobuf.Reader['uint64']> {
    this.#count();
    return super.uint64();
  }

  override sint64(): ReturnType<protobuf.Reader['sint64']> {
    this.#count();
    return super.sint64();
  }

  #count(): void {
    this.#reads += 1;
    if (this.#reads > maxReads) throw tooComplex(`it has more than ${maxReads} fields`);
  }
}
