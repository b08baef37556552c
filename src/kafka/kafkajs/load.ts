import { createRequire } from 'node:module';
import type { Connection, ConsumerGroup, KafkajsInternals, OffsetManager, RequestQueue, Runner } from './internals.ts';

/** The one version whose internals the repairs know. */
const knownVersion = '2.2.4';

/** kafkajs is not what the repairs were made for: they need another look before anything may start with it. */
export class KafkajsMismatchError extends Error {
  override readonly name = 'KafkajsMismatchError';
}

interface Class<Instance> {
  readonly prototype: Instance;
}

/**
 * The prototypes and functions of kafkajs that the repairs replace or build on. The package has no `exports`, so its
 * files can be loaded by path. Throws `KafkajsMismatchError` when they are not those of the known version.
 */
export function loadInternals(require: NodeJS.Require = createRequire(import.meta.url)): KafkajsInternals {
  assertKnownVersion(require('kafkajs/package.json'));
  const connection: Class<Connection> = require('kafkajs/src/network/connection');
  const requestQueue: Class<RequestQueue> = require('kafkajs/src/network/requestQueue');
  const consumerGroup: Class<ConsumerGroup> = require('kafkajs/src/consumer/consumerGroup');
  const runner: Class<Runner> = require('kafkajs/src/consumer/runner');
  const offsetManager: Class<OffsetManager> = require('kafkajs/src/consumer/offsetManager');
  const internals: KafkajsInternals = {
    connection: connection.prototype,
    requestQueue: requestQueue.prototype,
    consumerGroup: consumerGroup.prototype,
    runner: runner.prototype,
    offsetManager: offsetManager.prototype,
    Batch: require('kafkajs/src/consumer/batch'),
    Encoder: require('kafkajs/src/protocol/encoder'),
    Decoder: require('kafkajs/src/protocol/decoder'),
    decodeRecordBatch: require('kafkajs/src/protocol/recordBatch/v0/decoder'),
    decodeMessageSet: require('kafkajs/src/protocol/messageSet/decoder'),
  };
  assertShapes(internals);
  return internals;
}

/**
 * Puts `exported` in the place of a module of kafkajs, for all that load it from now on. Modules loaded before that
 * match `dependents` are forgotten, so that they load again and find it.
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
  assertFunctions('Connection', internals.connection, ['connect']);
  assertFunctions('RequestQueue', internals.requestQueue, ['checkPendingRequests', 'scheduleCheckPendingRequests']);
  assertFunctions('ConsumerGroup', internals.consumerGroup, [
    'joinAndSync',
    'fetch',
    'heartbeat',
    'commitOffsets',
    'pause',
    'resume',
  ]);
  assertFunctions('Runner', internals.runner, ['handleBatch', 'fetch', 'stop']);
  assertFunctions('OffsetManager', internals.offsetManager, ['nextOffset', 'committedOffsets', 'setDefaultOffset']);
  assertFunctions('kafkajs', internals, ['Batch', 'Encoder', 'Decoder', 'decodeRecordBatch', 'decodeMessageSet']);
}

function assertFunctions<T>(what: string, owner: T, names: readonly (keyof T & string)[]): void {
  const missing = names.find((name) => typeof owner[name] !== 'function');
  if (missing !== undefined) throw new KafkajsMismatchError(`kafkajs changed inside: ${what} has no ${missing}`);
}
