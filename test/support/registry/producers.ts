import { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import protobuf from 'protobufjs';
import descriptors from 'protobufjs/ext/descriptor.js';
import { z } from 'zod';
import { uniqueName } from '../kafka/topics.ts';
import { framed, messageIndexes } from './framed.ts';

/** Encodes values with one registered schema. */
interface ValueWriter {
  readonly schemaId: number;
  write(value: unknown): Promise<Buffer>;
}

/** Registers schemas and encodes values, as producers do. */
export function createProducers(url: string) {
  // In strict mode it rejects schemas with a format.
  const registry = new SchemaRegistry({ host: url }, { [SchemaType.JSON]: { strict: false, logger: false } });
  const register = async (
    type: SchemaType.AVRO | SchemaType.JSON | SchemaType.PROTOBUF,
    schema: string,
  ): Promise<number> => {
    const { id } = await registry.register({ type, schema }, { subject: uniqueName('schema') });
    return id;
  };
  const encoding = (schemaId: number): ValueWriter => ({
    schemaId,
    write: async (value) => registry.encode(schemaId, value),
  });
  return {
    avro: async (schema: unknown) => encoding(await register(SchemaType.AVRO, JSON.stringify(schema))),
    json: async (schema: unknown) => encoding(await register(SchemaType.JSON, JSON.stringify(schema))),
    /** Encodes the first message of a Protobuf file. The file is registered as the client for Python does. */
    described: async (file: string, name: string): Promise<ValueWriter> => {
      const schemaId = await registerDescriptor(url, file);
      return protobufWriter(schemaId, typeOf(file, name), [0]);
    },
    /** Encodes a Protobuf message by name and message indexes. The client of the registry only supports the first one. */
    protobuf: async (
      file: string,
      { name, indexes }: { readonly name: string; readonly indexes: readonly number[] },
    ): Promise<ValueWriter> => protobufWriter(await register(SchemaType.PROTOBUF, file), typeOf(file, name), indexes),
  };
}

export type Producers = ReturnType<typeof createProducers>;

function protobufWriter(schemaId: number, type: protobuf.Type, indexes: readonly number[]): ValueWriter {
  return {
    schemaId,
    write: async (value) => {
      const message = type.encode(type.fromObject(Object(value))).finish();
      return Promise.resolve(framed(schemaId, Buffer.concat([messageIndexes(...indexes), message])));
    },
  };
}

/** Registers a file as a descriptor in Base64. The client of the registry only takes source code. */
async function registerDescriptor(url: string, file: string): Promise<number> {
  const root = new protobuf.Root();
  protobuf.parse(file, root, { keepCase: true });
  addTimestamp(root);
  root.resolveAll();
  const [descriptor] = root.toDescriptor('proto3').file ?? [];
  const bytes = descriptors.FileDescriptorProto.encode({ ...descriptor, dependency: [timestamp] }).finish();
  const response = await fetch(`${url}/subjects/${uniqueName('described')}/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ schemaType: 'PROTOBUF', schema: Buffer.from(bytes).toString('base64') }),
  });
  return z.object({ id: z.number() }).parse(await response.json()).id;
}

const timestamp = 'google/protobuf/timestamp.proto';

function addTimestamp(root: protobuf.Root): void {
  root.addJSON(protobuf.common.get(timestamp)?.nested ?? {});
}

function typeOf(file: string, name: string): protobuf.Type {
  const { root } = protobuf.parse(file);
  addTimestamp(root);
  return root.lookupType(name);
}
