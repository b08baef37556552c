import { describeProblem, loadSettings, type LoadedSettings, type Settings } from '../../src/settings.ts';
import { template, type Values } from '../support/helm/helm.ts';
import { startContainer, type Container, type Outside } from '../support/kubernetes/container.ts';
import type { Kinds, Manifest } from '../support/kubernetes/kinds.ts';
import { onlyOf, parseManifests } from '../support/kubernetes/manifests.ts';
import { podsOf, type Pods } from '../support/kubernetes/pods.ts';

/** A rendering, and what becomes of it. */
export interface Deployed {
  readonly manifests: readonly Manifest[];
  readonly deployment: Kinds['Deployment'];
  /** Those that serve. */
  readonly pods: Pods;
  readonly container: Container;
}

export async function deploy(values: Values, outside: Outside = {}): Promise<Deployed> {
  const manifests = parseManifests(await template(values));
  const deployment = onlyOf(manifests, 'Deployment');
  const pods = podsOf(deployment);
  return { manifests, deployment, pods, container: startContainer(pods, manifests, outside) };
}

/** What `check-config` would say about the environment that the service finds in the container: errors and warnings. */
export async function problemsIn(container: Container): Promise<readonly string[]> {
  const loaded = await load(container);
  return [...(loaded.kind === 'problems' ? loaded.problems.map(describeProblem) : []), ...loaded.warnings];
}

/** What the service makes of that environment. Throws when it refuses it. */
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
