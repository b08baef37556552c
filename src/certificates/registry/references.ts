import type { SchemaReference } from '../formats/format.ts';
import type { RegisteredSchema, RegistryAnswer } from './answer.ts';

type Reference = RegisteredSchema['references'][number];
type Ask = (reference: Reference) => Promise<RegistryAnswer<RegisteredSchema>>;

/** Bounds the requests for one schema. Real schemas have far fewer references. */
const maxReferences = 200;

/**
 * Collects all references of a schema, direct and indirect, each once. A reference comes after its own references. Stops at
 * the first that is not available.
 */
export async function collectReferences(
  references: readonly Reference[],
  ask: Ask,
): Promise<RegistryAnswer<readonly SchemaReference[]>> {
  const found: SchemaReference[] = [];
  const seen = new Set<string>();
  const collect = async (wanted: readonly Reference[]): Promise<RegistryAnswer<undefined>> => {
    for (const reference of wanted) {
      const key = JSON.stringify(reference);
      if (seen.has(key)) continue;
      seen.add(key);
      if (seen.size > maxReferences) return tooMany;
      const answer = await ask(reference);
      if (answer.kind !== 'found') return answer;
      const inner = await collect(answer.found.references);
      if (inner.kind !== 'found') return inner;
      found.push({ name: reference.name, text: answer.found.schema });
    }
    return { kind: 'found', found: undefined };
  };
  const collected = await collect(references);
  return collected.kind === 'found' ? { kind: 'found', found } : collected;
}

const tooMany = {
  kind: 'failed',
  failure: 'unexpected',
  reason: `a schema is made of more than ${maxReferences} others`,
} as const;
