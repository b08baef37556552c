import type { SchemaDocument } from '../formats/format.ts';
import { maxReferences, maxSchemaCharacters, tooLong, tooManyReferences } from '../formats/schema-limits.ts';
import type { RegisteredSchema, RegistryAnswer } from './answer.ts';

type Reference = RegisteredSchema['references'][number];
type Ask = (reference: Reference) => Promise<RegistryAnswer<RegisteredSchema>>;

type Collected = Pick<SchemaDocument, 'references' | 'excess'>;

/**
 * Collects all references of a schema, direct and indirect, each once. A reference comes after its own references. Stops at
 * the first that is not available, and where they are more than one schema may ask for.
 */
export async function collectReferences(
  references: readonly Reference[],
  ask: Ask,
): Promise<RegistryAnswer<Collected>> {
  const found: SchemaDocument['references'][number][] = [];
  const seen = new Set<string>();
  let characters = 0;
  let excess: string | undefined;
  const collect = async (wanted: readonly Reference[]): Promise<RegistryAnswer<undefined>> => {
    for (const reference of wanted) {
      const key = JSON.stringify(reference);
      if (seen.has(key)) continue;
      seen.add(key);
      if (seen.size > maxReferences) excess ??= tooManyReferences;
      if (characters > maxSchemaCharacters) excess ??= tooLong;
      if (excess !== undefined) break;
      const answer = await ask(reference);
      if (answer.kind !== 'found') return answer;
      characters += answer.found.schema.length;
      const inner = await collect(answer.found.references);
      if (inner.kind !== 'found') return inner;
      found.push({ name: reference.name, text: answer.found.schema });
    }
    return { kind: 'found', found: undefined };
  };
  const collected = await collect(references);
  if (collected.kind !== 'found') return collected;
  return { kind: 'found', found: excess === undefined ? { references: found } : { references: [], excess } };
}
