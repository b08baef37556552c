import { beforeAll, describe, expect, it } from 'vitest';
import { template, type Values } from '../support/helm/helm.ts';
import type { Manifest } from '../support/kubernetes/kinds.ts';
import { allOf, nameOf, parseManifests } from '../support/kubernetes/manifests.ts';
import { policyProblems } from '../support/kubernetes/pod-policy.ts';
import { podsIn } from '../support/kubernetes/pods.ts';
import { typeProblems } from '../support/kubernetes/type-problems.ts';
import { valueProblems } from '../support/kubernetes/value-problems.ts';
import { needs } from '../support/programs/needs.ts';
import { cases } from './cases.ts';

interface Rendering {
  readonly text: string;
  readonly byOlderHelm: string;
  readonly manifests: readonly Manifest[];
}

async function render(values: Values): Promise<Rendering> {
  const text = await template(values);
  const byOlderHelm = await template(values, { helm: 'helm-3.17.2' });
  return { text, byOlderHelm, manifests: parseManifests(text) };
}

const renderings = new Map<string, Rendering>();

beforeAll(async () => {
  for (const [about, values] of Object.entries<Values>(cases)) renderings.set(about, await render(values));
}, 300_000);

/** Returns one line for each problem of each object, or of each whole rendering. */
function problemsIn(find: (manifests: readonly Manifest[]) => readonly string[]): readonly string[] {
  return [...renderings].flatMap(([about, { manifests }]) => find(manifests).map((problem) => `${about}: ${problem}`));
}

describe('every rendering', needs('helm'), () => {
  // Two processes have rendered it, so it is also the same text every time.
  it('is the same text with every version of Helm', () => {
    for (const { text, byOlderHelm } of renderings.values()) expect(byOlderHelm).toBe(text);
  });

  it('contains each object once', () => {
    const repeated = problemsIn((manifests) => {
      const names = manifests.map((manifest) => `${manifest.metadata?.namespace} ${nameOf(manifest)}`);
      return names.filter((name, index) => names.indexOf(name) !== index);
    });
    expect(repeated).toEqual([]);
  });

  it('creates no Secret, and puts no secret into an environment variable', () => {
    expect(problemsIn((manifests) => allOf(manifests, 'Secret').map(nameOf))).toEqual([]);
    for (const { text } of renderings.values()) expect(text).not.toContain('secretKeyRef');
  });

  it('has pods that a restricted cluster accepts', () => {
    const problems = problemsIn((manifests) =>
      podsIn(manifests).flatMap((pods) => policyProblems(pods).map((problem) => `${pods.name} ${problem}`)),
    );
    expect(problems).toEqual([]);
    expect(problemsIn((manifests) => podsIn(manifests).map(({ name }) => name)).length).toBeGreaterThan(
      renderings.size,
    );
  });
});

describe('every object', needs('helm'), () => {
  it('has only the fields of its kind', async () => {
    const named = [...renderings].flatMap(([about, { manifests }]) =>
      manifests.map((manifest) => [`${about}: ${nameOf(manifest)}`, manifest] as const),
    );
    expect(await typeProblems(new Map(named))).toEqual([]);
  });

  it('matches the schemas of Kubernetes and of the operators', () => {
    const problems = problemsIn((manifests) =>
      manifests.flatMap((manifest) => valueProblems(manifest).map((problem) => `${nameOf(manifest)}: ${problem}`)),
    );
    expect(problems).toEqual([]);
  });
});
