import protobuf from 'protobufjs';
import type { Format, SchemaDocument } from '../framing.ts';
import { utf8Text } from '../plain.ts';
import { createMessageReaders } from './protobuf-message.ts';
import { maxDepth, ReadingLimits, RecordTooComplexError, tooComplex, maxValues } from './reading-limits.ts';
import descriptors from 'protobufjs/ext/descriptor.js';
import { z } from 'zod';
import api from 'protobufjs/google/protobuf/api.json' with { type: 'json' };
import descriptor from 'protobufjs/google/protobuf/descriptor.json' with { type: 'json' };
import sourceContext from 'protobufjs/google/protobuf/source_context.json' with { type: 'json' };
import type from 'protobufjs/google/protobuf/type.json' with { type: 'json' };

/** Compiles a reader of Protobuf after Confluent's message indexes. Throws when the schema can't be used. */
export function compileProtobuf(schema: SchemaDocument): Format {
  const { messages, home } = parseFiles(schema);
  const readerOf = createMessageReaders();
  return (payload) => {
    try {
      const reader = new RecordReader(payload);
      const message = messageAt(readIndexes(reader), messages, home);
      if (message === undefined) return contradiction('it has no such message');
      return { kind: 'plain', value: readerOf(message)(message.decode(reader), new ReadingLimits()) };
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

/**
 * Reads the bytes of one record, and bounds their fields and 64-bit integers, which are what takes time. Rejects texts that
 * end early or are not UTF-8, which the reader of the library accepts.
 */
class RecordReader extends protobuf.Reader {
  declare buf: Buffer;
  #reads = 0;

  override string(): string {
    const length = this.size();
    const text = utf8Text(this.buf, this.pos, this.skip(length).pos);
    if (text === undefined) throw new RangeError('a text is not UTF-8');
    return text;
  }

  override stringVerify(): string {
    return this.string();
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

/** A file whose definitions were added to a root. */
interface ProtobufFile {
  readonly home: protobuf.NamespaceBase;
  readonly imports: readonly string[];
  /** Its messages as their indexes count them. */
  readonly messages: readonly MessageNames[];
}

interface MessageNames {
  readonly name: string;
  readonly nestedType: readonly MessageNames[];
}

/**
 * Adds a registered file to the root. Its text is source code, or a `FileDescriptorProto` in Base64, which the client
 * for Python registers and some registries return. Field names are kept. Throws when it is neither.
 */
function addFile(text: string, root: protobuf.Root): ProtobufFile {
  return base64.test(text) ? addDescriptor(Buffer.from(text, 'base64'), root) : addSource(text, root);
}

/** Source code has at least a space or a semicolon. */
const base64 = /^\s*[A-Za-z\d+/]+={0,2}\s*$/;

function addSource(text: string, root: protobuf.Root): ProtobufFile {
  const file = protobuf.parse(text, root, { keepCase: true });
  const home = file.package === undefined ? root : root.define(file.package);
  return { home, imports: file.imports ?? [], messages: messagesIn(home) };
}

function messagesIn(home: protobuf.NamespaceBase): readonly MessageNames[] {
  const messages = home.nestedArray.filter((one) => one instanceof protobuf.Type);
  return messages.map((message) => ({ name: message.name, nestedType: messagesIn(message) }));
}

function addDescriptor(bytes: Buffer, root: protobuf.Root): ProtobufFile {
  const file = describedFile.parse(descriptors.FileDescriptorProto.decode(bytes));
  const home = file.package === '' ? root : root.define(file.package);
  const context = { edition: file.syntax, keepCase: true };
  for (const message of file.messageType) home.add(protobuf.Type.fromDescriptor(message, context));
  for (const values of file.enumType) home.add(protobuf.Enum.fromDescriptor(values, context));
  return { home, imports: file.dependency, messages: file.messageType };
}

/** The parts of a `FileDescriptorProto` that matter here. */
const describedFile = z.object({
  package: z.string(),
  syntax: z.enum(['', 'proto2', 'proto3']),
  dependency: z.array(z.string()),
  messageType: z.array(z.custom<descriptors.IDescriptorProto & MessageNames>()),
  enumType: z.array(z.custom<descriptors.IEnumDescriptorProto>()),
});

/** The files of `google/protobuf` that the library holds, but does not know by name. */
const unnamed: ReadonlyMap<string, protobuf.INamespace> = new Map(
  Object.entries({ api, descriptor, source_context: sourceContext, type }).map(([name, file]) => [
    `google/protobuf/${name}.proto`,
    file,
  ]),
);

/** Adds a file such as `google/protobuf/timestamp.proto`. Compilers include these, so they are not registered. */
function addWellKnown(name: string, root: protobuf.Root): void {
  const file = unnamed.get(name) ?? protobuf.common.get(name);
  const found = new protobuf.Root().addJSON(file?.nested ?? {}).lookup('.google.protobuf');
  if (!(found instanceof protobuf.Namespace)) return;
  const home = root.define('google.protobuf');
  // The unnamed files repeat all types that they import, except for one.
  for (const one of found.nestedArray) if (home.get(one.name) === null) home.add(one);
  if (unnamed.has(name)) addWellKnown('google/protobuf/any.proto', root);
}

/**
 * Removes extensions of messages that the root does not hold. Almost all of them declare options, which do not change
 * how a message is read, and whose files are often not registered.
 */
function dropUnknownExtensions(namespace: protobuf.Namespace): void {
  for (const nested of namespace.nestedArray) {
    if (nested instanceof protobuf.Namespace) dropUnknownExtensions(nested);
    else if (nested instanceof protobuf.Field && !isExtensionOfKnown(nested, namespace)) namespace.remove(nested);
  }
}

function isExtensionOfKnown({ extend }: protobuf.Field, namespace: protobuf.Namespace): boolean {
  return extend !== undefined && namespace.lookup(extend, protobuf.Type) !== null;
}
