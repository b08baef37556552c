import { describeProblem, loadSettings, type LoadedSettings, type Settings } from '../../src/settings.ts';
import { template, type Values } from '../support/helm/helm.ts';
import { startContainer, type Container, type ExistingObjects } from '../support/kubernetes/container.ts';
import type { Kinds, Manifest } from '../support/kubernetes/kinds.ts';
import { onlyOf, parseManifests } from '../support/kubernetes/manifests.ts';
import { podsOf, type Pods } from '../support/kubernetes/pods.ts';

/** A rendered chart, and the container that it starts. */
export interface Deployed {
  readonly manifests: readonly Manifest[];
  readonly deployment: Kinds['Deployment'];
  /** The pods of the Deployment. */
  readonly pods: Pods;
  readonly container: Container;
}

export async function deploy(values: Values, outside: ExistingObjects = {}): Promise<Deployed> {
  const manifests = parseManifests(await template(values));
  const deployment = onlyOf(manifests, 'Deployment');
  const pods = podsOf(deployment);
  return { manifests, deployment, pods, container: startContainer(pods, manifests, outside) };
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
  return loadSettings(environment, async (path) => {
    const text = files.get(path);
    if (text === undefined) throw new Error('there is no such file');
    return text;
  });
}
