import { archiveClasses } from './class-archive.ts';
import { prepareDistribution } from './distribution.ts';
import { startBrokers, type ClusterOptions, type LocalCluster } from './local-cluster.ts';
import type { Progress } from './progress.ts';

/**
 * A cluster of our own on this machine, from Java and the jars of Maven Central: one or three brokers to kill, freeze and
 * restart. Resolves once it is usable. Throws a `MissingToolError` where there is no Java, or no Maven and no cache.
 */
export async function startLocalCluster(
  options: ClusterOptions & { readonly progress?: Progress } = {},
): Promise<LocalCluster> {
  const { progress = () => undefined } = options;
  const distribution = await archiveClasses(await prepareDistribution(progress), progress);
  progress('starting');
  return startBrokers(distribution, options);
}
