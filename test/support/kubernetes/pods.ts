import type { IPodTemplateSpec } from 'kubernetes-models/v1';
import type { Kinds, Manifest } from './kinds.ts';
import { allOf, nameOf } from './manifests.ts';

export type PodSpec = NonNullable<IPodTemplateSpec['spec']>;
export type ContainerSpec = PodSpec['containers'][number];
export type Labels = Readonly<Record<string, string>>;

/** What a Deployment or a Job makes. */
export interface Pods {
  /** Of what makes them. */
  readonly name: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: PodSpec;
  /** The first one. */
  readonly container: ContainerSpec;
}

export function podsIn(manifests: readonly Manifest[]): readonly Pods[] {
  return [...allOf(manifests, 'Deployment'), ...allOf(manifests, 'Job')].map(podsOf);
}

export function podsOf(manifest: Kinds['Deployment'] | Kinds['Job']): Pods {
  const { metadata: { labels = {}, annotations = {} } = {}, spec } = manifest.spec?.template ?? {};
  const [container] = spec?.containers ?? [];
  if (spec === undefined || container === undefined) throw new Error(`${nameOf(manifest)} makes no pods.`);
  return { name: nameOf(manifest), labels, annotations, spec, container };
}

/** Whether labels have all that a selector asks for; one that asks for nothing, and so takes everything, is a mistake. */
export function selects(selector: Labels | undefined, labels: Labels | undefined): boolean {
  const asked = Object.entries(selector ?? {});
  if (asked.length === 0) throw new Error('The selector asks for nothing.');
  return asked.every(([name, value]) => labels?.[name] === value);
}
