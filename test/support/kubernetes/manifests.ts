import { parseAllDocuments } from 'yaml';
import type { Kind, Kinds, Manifest } from './kinds.ts';

/** The objects of a text, which may hold none. YAML as Kubernetes reads it: `on` is a boolean, and no key comes twice. */
export function parseManifests(text: string): readonly Manifest[] {
  const documents = parseAllDocuments(text, { version: '1.1', merge: false });
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    // Whether it is one is judged by `typeProblems`.
    return document.toJS() as Manifest;
  });
}

export function allOf<K extends Kind>(manifests: readonly Manifest[], kind: K): readonly Kinds[K][] {
  return manifests.filter((manifest): manifest is Kinds[K] => manifest.kind === kind);
}

/** The one object of its kind. */
export function onlyOf<K extends Kind>(manifests: readonly Manifest[], kind: K): Kinds[K] {
  const [first, ...others] = allOf(manifests, kind);
  if (first === undefined || others.length > 0)
    throw new Error(`Not one ${kind} but ${first === undefined ? 'none' : others.length + 1}.`);
  return first;
}

/** `Deployment/hooks-certificate-webhooks`, which is what tells objects of one namespace apart. */
export function nameOf({ kind, metadata }: Manifest): string {
  return `${kind}/${metadata?.name ?? ''}`;
}
