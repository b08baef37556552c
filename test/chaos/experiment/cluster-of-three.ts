import { afterAll, beforeAll } from 'vitest';
import type { LocalCluster } from '../../support/kafka/cluster/local-cluster.ts';
import { startLocalCluster } from '../../support/kafka/cluster/start-local-cluster.ts';

/** Three brokers for all faults of the file that calls this; usable from within tests. */
export function clusterOfThree(options: Parameters<typeof startLocalCluster>[0] = {}): () => LocalCluster {
  let cluster: LocalCluster | undefined;
  beforeAll(async () => {
    cluster = await startLocalCluster({ brokers: 3, ...options });
  }, 180_000);
  afterAll(async () => cluster?.[Symbol.asyncDispose]());
  return () => {
    if (cluster === undefined) throw new Error('The cluster is there within tests only.');
    return cluster;
  };
}
