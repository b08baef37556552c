import type { IPodTemplateSpec } from 'kubernetes-models/v1';
import type { Kinds, Manifest } from './kinds.ts';
import { allOf, nameOf } from './manifests.ts';

export type PodSpec = NonNullable<IPodTemplateSpec['spec']>;
export type ContainerSpec = PodSpec['containers'][number];
type Labels = Readonly<Record<string, string>>;

/** The pods of a Deployment or a Job. */
export interface Pods {
  /** The name of the Deployment or Job. */
  readonly name: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: PodSpec;
  /** The first container. */
  readonly container: ContainerSpec;
}

export function podsIn(manifests: readonly Manifest[]): readonly Pods[] {
  return [...allOf(manifests, 'Deployment'), ...allOf(manifests, 'Job')].map(podsOf);
}

export function podsOf(manifest: Kinds['Deployment'] | Kinds['Job']): Pods {
  const { metadata: { labels = {}, annotations = {} } = {}, spec } = manifest.spec?.template ?? {};
  const [container] = spec?.containers ?? [];
  if (spec === undefined || container === undefined) throw new Error(`${nameOf(manifest)} creates no pods.`);
  return { name: nameOf(manifest), labels, annotations, spec, container };
}

/** Tests if the labels match the selector. Throws for an empty selector, which would match everything. */
export function selects(selector: Labels | undefined, labels: Labels | undefined): boolean {
  const required = Object.entries(selector ?? {});
  if (required.length === 0) throw new Error('The selector is empty.');
  return required.every(([name, value]) => labels?.[name] === value);
}
