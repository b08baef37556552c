import type { IPodTemplateSpec } from 'kubernetes-models/v1';
import type { Kinds, Manifest } from './kinds.ts';
import { allOf, nameOf } from './manifests.ts';

export type PodSpec = NonNullable<IPodTemplateSpec['spec']>;
export type ContainerSpec = PodSpec['containers'][number];
type Labels = Readonly<Record<string, string>>;

/** The pods of a Deployment or a Job, or a pod of its own. */
export interface Pods {
  /** The name of the Deployment, Job or Pod. */
  readonly name: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: PodSpec;
  /** The first container. */
  readonly container: ContainerSpec;
}

type Workload = Kinds['Deployment'] | Kinds['Job'] | Kinds['Pod'];

export function podsIn(manifests: readonly Manifest[]): readonly Pods[] {
  return [...allOf(manifests, 'Deployment'), ...allOf(manifests, 'Job'), ...allOf(manifests, 'Pod')].map(podsOf);
}

export function podsOf(manifest: Workload): Pods {
  const { metadata: { labels = {}, annotations = {} } = {}, spec } = templateOf(manifest);
  const [container] = spec?.containers ?? [];
  if (spec === undefined || container === undefined) throw new Error(`${nameOf(manifest)} creates no pods.`);
  return { name: nameOf(manifest), labels, annotations, spec, container };
}

function templateOf(manifest: Workload): IPodTemplateSpec {
  return (manifest.kind === 'Pod' ? manifest : manifest.spec?.template) ?? {};
}

/** Tests if the labels match the selector. Throws for an empty selector, which would match everything. */
export function selects(selector: Labels | undefined, labels: Labels | undefined): boolean {
  const required = Object.entries(selector ?? {});
  if (required.length === 0) throw new Error('The selector is empty.');
  return required.every(([name, value]) => labels?.[name] === value);
}
