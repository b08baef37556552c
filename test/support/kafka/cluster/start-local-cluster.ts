import { archiveClasses } from './class-archive.ts';
import { prepareDistribution } from './distribution.ts';
import { startBrokers, type ClusterOptions, type LocalCluster } from './local-cluster.ts';
import type { Progress } from './progress.ts';

/**
 * Starts a cluster of one or three brokers on this machine, with Java and jars from Maven Central. Tests can kill, freeze and
 * restart its brokers. Throws a `MissingToolError` without Java, or without both Maven and a filled cache.
 */
export async function startLocalCluster(
  options: ClusterOptions & { readonly progress?: Progress } = {},
): Promise<LocalCluster> {
  const { progress = () => undefined } = options;
  const distribution = await archiveClasses(await prepareDistribution(progress), progress);
  progress('starting');
  return startBrokers(distribution, options);
}
