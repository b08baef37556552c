import { basename } from 'node:path';
import { isId } from '../../certificates/certificate-schema.ts';
import { parseText } from './document-syntax.ts';

/** One configuration of a file, not validated yet. */
export interface DocumentEntry {
  /** The `_id`, or the file name and position if that is unusable. The directory then refuses this entry alone. */
  readonly id: string;
  readonly value: unknown;
  readonly path: string;
  /** The position in its file, counted from 1. */
  readonly position: number;
}

/** A problem with a whole file, rather than with one of its configurations. */
export interface FileProblem {
  readonly path: string;
  readonly problem: string;
}

export type ParsedDocument =
  | { readonly kind: 'entries'; readonly entries: readonly DocumentEntry[] }
  | { readonly kind: 'unusable'; readonly problem: string };

/** Parses the text of a file, which holds one configuration or a list of them. */
export function parseDocument(path: string, text: string): ParsedDocument {
  if (text.trim() === '') return empty;
  const parsed = parseText(path, text);
  if (parsed.kind === 'unusable') return parsed;
  const { value } = parsed;
  if (value === null || value === undefined) return empty;
  if (typeof value !== 'object') return { kind: 'unusable', problem: 'is neither a configuration nor a list of them' };
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return { kind: 'entries', entries: values.map((item, index) => toEntry(path, item, index + 1)) };
}

/** Lists the ids that occur more than once. Which of two configurations with one id counts would be undefined. */
export function duplicateIdProblems(entries: readonly DocumentEntry[]): readonly FileProblem[] {
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

/** An empty file is refused, because it is more often an accident than an intention to remove everything. */
const empty: ParsedDocument = { kind: 'unusable', problem: 'is empty; to have no configurations, write []' };

function toEntry(path: string, value: unknown, position: number): DocumentEntry {
  return { id: usableId(value) ?? `${basename(path)}#${position}`, value, path, position };
}

function usableId(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('_id' in value)) return undefined;
  return isId(value._id) ? value._id : undefined;
}
