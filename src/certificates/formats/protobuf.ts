import protobuf from 'protobufjs';
import type { Format, SchemaDocument } from './format.ts';
import { createMessageReader } from './protobuf-message.ts';

/** Protobuf's encoding behind Confluent's message indexes. Throws when the schema can't be used. */
export function compileProtobuf(schema: SchemaDocument): Format {
  const messages = parseMessages(schema);
  const readMessage = createMessageReader();
  return (payload) => {
    try {
      const reader = new StrictReader(payload);
      const type = messageAt(readIndexes(reader), messages);
      if (type === undefined) return contradiction('it has no such message');
      return { kind: 'plain', value: readMessage(type, type.decode(reader)) };
    } catch {
      // Whatever the decoder has against the bytes: its message may quote them.
      return contradiction('the bytes are those of no such message');
    }
  };
}

function contradiction(what: string): ReturnType<Format> {
  return { kind: 'undecodable', message: `the value contradicts its Protobuf schema: ${what}` };
}

/** The messages of the schema's own file, in its order: that is what an index counts. */
function parseMessages({ text, references }: SchemaDocument): readonly protobuf.Type[] {
  const root = new protobuf.Root();
  const own = parse(text, root);
  const home = own.package === undefined ? root : root.lookup(`.${own.package}`);
  // What it refers to may be of the same package, so they are taken down before that is added.
  const messages = home instanceof protobuf.Namespace ? messagesIn(home) : [];
  const others = references.map((reference) => parse(reference.text, root));
  const given = new Set(references.map(({ name }) => name));
  const imports = new Set([own, ...others].flatMap((file) => file.imports ?? []));
  for (const name of imports) if (!given.has(name)) addWellKnown(name, root);
  root.resolveAll();
  return messages;
}

/** Field names stay as the file has them: what JSON calls them is decided here, not by the library. */
function parse(text: string, root: protobuf.Root): protobuf.IParserResult {
  return protobuf.parse(text, root, { keepCase: true });
}

/** Files that nobody registers, because every compiler brings them along. */
function addWellKnown(name: string, root: protobuf.Root): void {
  const nested = protobuf.common.get(name)?.nested;
  if (nested !== undefined) root.addJSON(nested);
}

function messagesIn(namespace: protobuf.NamespaceBase): readonly protobuf.Type[] {
  return namespace.nestedArray.filter((one) => one instanceof protobuf.Type);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The library's own would make something of a text that ends early or is not UTF-8. */
class StrictReader extends protobuf.Reader {
  override string(): string {
    return utf8.decode(this.bytes());
  }
}

/** Where in its file the message stands: its number there, then its number within that one, and so on. */
function readIndexes(reader: protobuf.Reader): readonly number[] {
  const depth = reader.sint32();
  // The first message of a file, which most are, is a single zero.
  if (depth === 0) return [0];
  if (depth < 0 || depth > reader.len) throw new RangeError('there are fewer indexes than announced');
  return Array.from({ length: depth }, () => reader.sint32());
}

function messageAt(indexes: readonly number[], messages: readonly protobuf.Type[]): protobuf.Type | undefined {
  const [first = 0, ...inner] = indexes;
  const message = messages[first];
  return message === undefined || inner.length === 0 ? message : messageAt(inner, messagesIn(message));
}
