import { afterAll, beforeAll } from 'vitest';
import type { LocalCluster } from '../../support/kafka/cluster/local-cluster.ts';
import { startLocalCluster } from '../../support/kafka/cluster/start-local-cluster.ts';

/** Starts three brokers for all tests of the calling file. The returned function works inside tests only. */
export function clusterOfThree(options: Parameters<typeof startLocalCluster>[0] = {}): () => LocalCluster {
  let cluster: LocalCluster | undefined;
  beforeAll(async () => {
    cluster = await startLocalCluster({ brokers: 3, ...options });
  }, 180_000);
  afterAll(async () => cluster?.[Symbol.asyncDispose]());
  return () => {
    if (cluster === undefined) throw new Error('The cluster exists only inside tests.');
    return cluster;
  };
}
