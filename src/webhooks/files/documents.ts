import { basename } from 'node:path';
import { parseText } from './document-syntax.ts';

/** One configuration of a file, not judged yet. */
export interface DocumentEntry {
  /** Its `_id`; without a usable one, its place. It is refused then for having none, and others are none the worse. */
  readonly id: string;
  readonly value: unknown;
  /** The file it stands in. */
  readonly path: string;
  /** Counted from 1. */
  readonly position: number;
}

/** Why a file, rather than one configuration in it, can't be used. */
export interface FileProblem {
  readonly path: string;
  readonly problem: string;
}

export type ParsedDocument =
  | { readonly kind: 'entries'; readonly entries: readonly DocumentEntry[] }
  | { readonly kind: 'unusable'; readonly problem: string };

/** The text of a file holds one configuration or a list of them. */
export function parseDocument(path: string, text: string): ParsedDocument {
  if (text.trim() === '') return empty;
  const parsed = parseText(path, text);
  if (parsed.kind === 'unparsable') return { kind: 'unusable', problem: parsed.problem };
  const { value } = parsed;
  if (value === null || value === undefined) return empty;
  if (typeof value !== 'object') return { kind: 'unusable', problem: 'is neither a configuration nor a list of them' };
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return { kind: 'entries', entries: values.map((one, index) => toEntry(path, one, index + 1)) };
}

/** An id says which configuration a version is of: with two of them, which one counts would be chance. */
export function repeatedIdProblems(entries: readonly DocumentEntry[]): readonly FileProblem[] {
  const first = new Map<string, DocumentEntry>();
  return entries.flatMap((entry) => {
    const other = first.get(entry.id);
    if (other === undefined) {
      first.set(entry.id, entry);
      return [];
    }
    const problem = `entry ${entry.position} has the _id of entry ${other.position} in ${other.path}: ${entry.id}`;
    return [{ path: entry.path, problem }];
  });
}

/** An empty file is more often an accident than the wish to remove everything. */
const empty: ParsedDocument = { kind: 'unusable', problem: 'is empty; to have no configurations, write []' };

function toEntry(path: string, value: unknown, position: number): DocumentEntry {
  return { id: usableId(value) ?? `${basename(path)}#${position}`, value, path, position };
}

function usableId(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('_id' in value)) return undefined;
  return typeof value._id === 'string' && value._id !== '' ? value._id : undefined;
}
