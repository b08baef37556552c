import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeProblem, loadSettings, type LoadedSettings, type Settings } from '../../src/settings.ts';
import { readTextFile } from '../../src/settings/files.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { template, type Values } from '../support/helm/helm.ts';
import { startContainer, type Container, type ExistingObjects } from '../support/kubernetes/container.ts';
import type { Kinds, Manifest } from '../support/kubernetes/kinds.ts';
import { allOf, parseManifests } from '../support/kubernetes/manifests.ts';
import { podsOf, type Pods } from '../support/kubernetes/pods.ts';

/** A rendered chart, and the container that it starts. */
export interface Deployed {
  readonly manifests: readonly Manifest[];
  /** The Deployment of the service. */
  readonly deployment: Kinds['Deployment'];
  /** The pods of that Deployment. */
  readonly pods: Pods;
  readonly container: Container;
}

export async function deploy(values: Values, outside: ExistingObjects = {}): Promise<Deployed> {
  const manifests = parseManifests(await template(values));
  const deployment = deploymentOf(manifests, 'service');
  const pods = podsOf(deployment);
  return { manifests, deployment, pods, container: startContainer(pods, manifests, outside) };
}

/** Returns the Deployment whose pods have that component. */
export function deploymentOf(manifests: readonly Manifest[], component: string): Kinds['Deployment'] {
  const found = allOf(manifests, 'Deployment').find(
    (deployment) => podsOf(deployment).labels['app.kubernetes.io/component'] === component,
  );
  if (found === undefined) throw new Error(`No Deployment has pods of the component ${component}.`);
  return found;
}

/** Returns the errors and warnings that `check-config` would print in the container. */
export async function problemsIn(container: Container): Promise<readonly string[]> {
  const loaded = await load(container);
  return [...(loaded.kind === 'problems' ? loaded.problems.map(describeProblem) : []), ...loaded.warnings];
}

/** Returns the settings of the service in the container. Throws if they have problems. */
export async function settingsIn(container: Container): Promise<Settings> {
  const loaded = await load(container);
  if (loaded.kind === 'problems') throw new Error(loaded.problems.map(describeProblem).join('; '));
  return loaded.settings;
}

async function load({ environment, files }: Container): Promise<LoadedSettings> {
  await using mounted = await writeTemporaryFiles({});
  for (const [path, text] of files) {
    await mkdir(dirname(mounted.path(path)), { recursive: true });
    await mounted.write(path, text);
  }
  return await loadSettings(environment, (path, variable) => readTextFile(mounted.path(path), variable));
}
