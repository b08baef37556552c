import { parseAllDocuments } from 'yaml';
import type { Kind, Kinds, Manifest } from './kinds.ts';

/** Parses objects from YAML as Kubernetes does: `on` is a boolean, and duplicate keys are errors. */
export function parseManifests(text: string): readonly Manifest[] {
  const documents = parseAllDocuments(text, { version: '1.1', merge: false });
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    // `typeProblems` checks the types.
    return document.toJS() as Manifest;
  });
}

export function allOf<K extends Kind>(manifests: readonly Manifest[], kind: K): readonly Kinds[K][] {
  return manifests.filter((manifest): manifest is Kinds[K] => manifest.kind === kind);
}

/** Returns the only object of its kind. */
export function onlyOf<K extends Kind>(manifests: readonly Manifest[], kind: K): Kinds[K] {
  const [first, ...others] = allOf(manifests, kind);
  if (first === undefined || others.length > 0)
    throw new Error(`Not one ${kind} but ${first === undefined ? 'none' : others.length + 1}.`);
  return first;
}

/** Returns a name that is unique in a namespace: `Deployment/hooks-certificate-webhooks`. */
export function nameOf({ kind, metadata }: Manifest): string {
  return `${kind}/${metadata?.name ?? ''}`;
}
