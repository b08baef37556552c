import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { FetchedBatch } from '../../../../src/kafka/client/consumer.ts';
import { ConsumerStoppedError, endFetchersOfStopped } from '../../../../src/kafka/kafkajs/repairs/fetch-after-stop.ts';
import type { Cluster } from '../../../../src/kafka/kafkajs/internals.ts';
import { aBatch, scriptedCluster, scriptedGroup, scriptedRunner } from '../scripted.ts';

interface FetchManager {
  start(): Promise<void>;
  stop(): Promise<void>;
}

const createFetchManager: (options: object) => FetchManager = createRequire(import.meta.url)(
  'kafkajs/src/consumer/fetchManager',
);

const logger = { debug: () => undefined, info: () => undefined, namespace: () => logger };

/** A cluster of one broker, with the requests that are in flight on its two connections. */
function clusterWith(rejections: readonly [((error: Error) => void)?, ((error: Error) => void)?]): Cluster {
  const pool = rejections.map((rejectAll = () => undefined) => ({ requestQueue: { rejectAll } }));
  return scriptedCluster({
    brokerPool: Object.assign(Object.create(null), { brokers: { 1: { connectionPool: { pool } } } }),
  });
}

describe('a stop', () => {
  it('ends the fetches in flight, and no other request', async () => {
    const rejected: string[] = [];
    const fetching = Promise.withResolvers<readonly FetchedBatch[]>();
    const cluster = clusterWith([() => rejected.push('others'), fetching.reject]);
    const runner = scriptedRunner(scriptedGroup({ cluster }), { running: true, fetch: () => fetching.promise });
    endFetchersOfStopped(runner);
    const fetched = runner.fetch('1');
    await runner.stop();
    expect(await fetched).toEqual([]);
    expect(rejected).toEqual([]);
  });

  it('hides no other error of a fetch', async () => {
    const fault = new Error('a fault');
    const runner = scriptedRunner(scriptedGroup({}), { running: true, fetch: () => Promise.reject(fault) });
    endFetchersOfStopped(runner);
    await expect(runner.fetch('1')).rejects.toBe(fault);
  });
});

describe('a fetcher', () => {
  it('fetches while its consumer runs', async () => {
    const batches = [aBatch];
    const runner = scriptedRunner(scriptedGroup({}), { running: true, fetch: () => Promise.resolve(batches) });
    endFetchersOfStopped(runner);
    expect(await runner.fetch('1')).toBe(batches);
  });

  it('ends when kafkajs created it after its consumer was stopped', async () => {
    const nodeIds = ['1'];
    let fetches = 0;
    const runner = scriptedRunner(scriptedGroup({}), {
      running: true,
      fetch: async () => {
        fetches += 1;
        if (fetches > 100) throw new Error('too many fetches');
        return Promise.resolve([]);
      },
    });
    endFetchersOfStopped(runner);
    const manager = createFetchManager({
      logger,
      getNodeIds: () => [...nodeIds],
      handler: () => Promise.resolve(),
      // The brokers change, and the consumer is stopped just before its fetchers are replaced.
      fetch: async (nodeId: string) => {
        const batches = await runner.fetch(nodeId);
        nodeIds[0] = '2';
        Object.assign(runner, { running: false });
        return batches;
      },
    });
    await expect(manager.start()).rejects.toThrow(ConsumerStoppedError);
  });
});
