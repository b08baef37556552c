import protobuf from 'protobufjs';
import descriptors from 'protobufjs/ext/descriptor.js';
import api from 'protobufjs/google/protobuf/api.json' with { type: 'json' };
import descriptor from 'protobufjs/google/protobuf/descriptor.json' with { type: 'json' };
import sourceContext from 'protobufjs/google/protobuf/source_context.json' with { type: 'json' };
import type from 'protobufjs/google/protobuf/type.json' with { type: 'json' };
import { z } from 'zod';

/** A file whose definitions were added to a root. */
export interface ProtobufFile {
  readonly home: protobuf.NamespaceBase;
  readonly imports: readonly string[];
  /** Its messages as their indexes count them. */
  readonly messages: readonly MessageNames[];
}

export interface MessageNames {
  readonly name: string;
  readonly nestedType: readonly MessageNames[];
}

/**
 * Adds a registered file to the root. Its text is source code, or a `FileDescriptorProto` in Base64, which the client
 * for Python registers and some registries return. Field names are kept. Throws when it is neither.
 */
export function addFile(text: string, root: protobuf.Root): ProtobufFile {
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
export function addWellKnown(name: string, root: protobuf.Root): void {
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
export function dropUnknownExtensions(namespace: protobuf.Namespace): void {
  for (const nested of namespace.nestedArray) {
    if (nested instanceof protobuf.Namespace) dropUnknownExtensions(nested);
    else if (nested instanceof protobuf.Field && !isExtensionOfKnown(nested, namespace)) namespace.remove(nested);
  }
}

function isExtensionOfKnown({ extend }: protobuf.Field, namespace: protobuf.Namespace): boolean {
  return extend !== undefined && namespace.lookup(extend, protobuf.Type) !== null;
}
