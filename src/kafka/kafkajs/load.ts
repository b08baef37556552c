import { createRequire } from 'node:module';
import type { Kafka } from 'kafkajs';
import type { KafkajsInternals } from './internals.ts';

/** The only version that the repairs were written for. */
const knownVersion = '2.2.4';

/** Thrown when kafkajs is not the version that the repairs were written for. They must be reviewed before a start. */
export class KafkajsMismatchError extends Error {
  override readonly name = 'KafkajsMismatchError';
}

/**
 * Loads the prototypes and functions of kafkajs that the repairs replace or use. The package has no `exports`, so its
 * files can be loaded by path. Throws `KafkajsMismatchError` when they differ from the known version.
 */
export function loadInternals(require: NodeJS.Require = createRequire(import.meta.url)): KafkajsInternals {
  assertKnownVersion(require('kafkajs/package.json'));
  const compression: {
    readonly lookupCodecByAttributes: KafkajsInternals['lookupCodec'];
  } = require('kafkajs/src/protocol/message/compression');
  const fetchResponse: {
    readonly parse: KafkajsInternals['parseFetch'];
  } = require('kafkajs/src/protocol/requests/fetch/v11/response');
  const internals: KafkajsInternals = {
    connection: Reflect.get(require('kafkajs/src/network/connection'), 'prototype'),
    saslAuthenticator: Reflect.get(require('kafkajs/src/broker/saslAuthenticator'), 'prototype'),
    requestQueue: Reflect.get(require('kafkajs/src/network/requestQueue'), 'prototype'),
    consumerGroup: Reflect.get(require('kafkajs/src/consumer/consumerGroup'), 'prototype'),
    runner: Reflect.get(require('kafkajs/src/consumer/runner'), 'prototype'),
    offsetManager: Reflect.get(require('kafkajs/src/consumer/offsetManager'), 'prototype'),
    broker: Reflect.get(require('kafkajs/src/broker'), 'prototype'),
    parseFetch: fetchResponse.parse,
    Decoder: require('kafkajs/src/protocol/decoder'),
    lookupCodec: compression.lookupCodecByAttributes,
    decodeMessageSet: require('kafkajs/src/protocol/messageSet/decoder'),
  };
  assertShapes(internals);
  return internals;
}

/** Loads the class of clients. After the repairs it is another class than the one that `import` returns. */
export function loadKafka(): typeof Kafka {
  const kafkajs: { readonly Kafka: typeof Kafka } = createRequire(import.meta.url)('kafkajs');
  return kafkajs.Kafka;
}

/**
 * Replaces a module of kafkajs by `exported` for all later loads. Removes loaded modules that match `dependents` from the
 * module cache, so that they load again and use the replacement.
 */
export function replaceModule(path: string, exported: unknown, dependents: RegExp): void {
  const require = createRequire(import.meta.url);
  require(path);
  const module = require.cache[require.resolve(path)];
  if (module === undefined) throw new KafkajsMismatchError(`${path} is not in the module cache`);
  module.exports = exported;
  for (const loaded of Object.keys(require.cache)) if (dependents.test(loaded)) delete require.cache[loaded];
}

function assertKnownVersion({ version }: { readonly version: unknown }): void {
  if (version === knownVersion) return;
  throw new KafkajsMismatchError(`kafkajs ${knownVersion} is required, exactly: found ${String(version)}`);
}

function assertShapes(internals: KafkajsInternals): void {
  assertFunctions('Connection', internals.connection, ['connect', 'sendAuthRequest']);
  assertFunctions('SASLAuthenticator', internals.saslAuthenticator, ['authenticate']);
  assertFunctions('RequestQueue', internals.requestQueue, [
    'checkPendingRequests',
    'scheduleCheckPendingRequests',
    'scheduleRequestTimeoutCheck',
    'rejectAll',
    'destroy',
  ]);
  assertFunctions('ConsumerGroup', internals.consumerGroup, [
    'joinAndSync',
    'fetch',
    'recoverFromFetch',
    'checkForStaleAssignment',
    'filterPartitionsByNode',
    'seekOffsets',
    'heartbeat',
    'commitOffsets',
    'resolveOffset',
    'pause',
    'resume',
  ]);
  assertFunctions('Runner', internals.runner, ['fetch', 'stop']);
  assertFunctions('OffsetManager', internals.offsetManager, ['nextOffset', 'committedOffsets', 'setDefaultOffset']);
  assertFunctions('Broker', internals.broker, ['fetch', 'metadata']);
  assertFunctions('kafkajs', internals, ['parseFetch', 'Decoder', 'lookupCodec', 'decodeMessageSet']);
}

function assertFunctions<T>(what: string, owner: T, names: readonly (keyof T & string)[]): void {
  const missing = names.find((name) => typeof owner[name] !== 'function');
  if (missing !== undefined) throw new KafkajsMismatchError(`kafkajs changed inside: ${what} has no ${missing}`);
}
