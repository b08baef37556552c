import { readFiles, readText, scanFiles, type FileScan, type ReadText } from './files/configuration-files.ts';
import type { DocumentEntry, FileProblem } from './files/documents.ts';
import { createConfigurationParser, type ConfigurationRules, type ParseConfiguration } from './configuration-schema.ts';
import { isTooLarge, tooLarge } from './sealing/document-limits.ts';
import type { OpenDocument, OpenedDocument } from './sealing/open-document.ts';
import { isSealableDocument, sealableParts } from './sealing/sealable-parts.ts';

interface CheckedFile {
  readonly path: string;
  /** Empty when the service can use the file as it is. */
  readonly problems: readonly string[];
  /** The parts that were not checked: they are sealed, and the key set can seal them but not open them. */
  readonly notes: readonly string[];
}

export interface CheckedEntry {
  readonly entry: DocumentEntry;
  /** The configuration with its sealed parts replaced by their contents where a key opened them. */
  readonly opened: unknown;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

export interface CheckedDocuments {
  readonly files: readonly CheckedFile[];
  readonly entries: readonly CheckedEntry[];
  readonly texts: ReadonlyMap<string, string>;
}

export interface CheckOptions {
  readonly rules: ConfigurationRules;
  readonly open: OpenDocument;
  readonly signal: AbortSignal;
  /** Reads standard input, for the path `-`. Without it, `-` is a path like others. */
  readonly readInput?: () => Promise<ReadText>;
}

/** The path of standard input. A file of that name is `./-`. */
const inputPath = '-';
const inputScan: FileScan = { kind: 'found', files: [inputPath], fingerprint: '' };

/** Checks files and folders of configurations by the rules of the service. Reads those files and nothing else. */
export async function checkDocuments(
  paths: readonly string[],
  { rules, open, signal, readInput }: CheckOptions,
): Promise<CheckedDocuments> {
  const inputOf = (path: string): CheckOptions['readInput'] => (path === inputPath ? readInput : undefined);
  const scans = await Promise.all(
    [...new Set(paths)].map(async (path) => (inputOf(path) === undefined ? scanFiles(path) : inputScan)),
  );
  const found = scans.flatMap((scan) => (scan.kind === 'found' ? scan.files : []));
  const unusable = scans.flatMap((scan) => (scan.kind === 'unusable' ? [scan.problem] : []));
  // A file may be named twice, or by itself and by its folder. It is read once, so that its ids do not count as repeated.
  const files = [...new Set(found)];
  const texts = new Map<string, string>();
  const { entries, problems } = await readFiles(files, async (path) => {
    const read = await (inputOf(path)?.() ?? readText(path, signal));
    if (read.kind === 'text') texts.set(path, read.text);
    return read;
  });
  const parse = createConfigurationParser(rules);
  const checked: CheckedEntry[] = [];
  for (const entry of entries) checked.push(checkEntry(entry, await open(entry.value), parse));
  const all = [...files, ...unusable.map(({ path }) => path)];
  return { files: groupByFile(all, [...unusable, ...problems], checked), entries: checked, texts };
}

/** Checks disabled configurations too, because they may be enabled later. */
function checkEntry(entry: DocumentEntry, opened: OpenedDocument, parse: ParseConfiguration): CheckedEntry {
  const { document, closed, notes } = withoutUncheckedParts(opened);
  const parsed = parse(entry.id, document, closed);
  const sizeProblems = isTooLarge(entry.value) ? [tooLarge] : [];
  const problems = [...sizeProblems, ...(parsed.kind === 'accepted' ? [] : parsed.problems)];
  return { entry, opened: document, problems, notes };
}

/**
 * Leaves out the parts that the key set can seal but not open. Somebody without the private key may write such parts,
 * although their contents can't be checked here.
 */
function withoutUncheckedParts({
  document,
  closed,
}: OpenedDocument): OpenedDocument & { readonly notes: readonly string[] } {
  const unchecked = sealableParts.filter((part) => closed[part]?.missing === 'private half');
  if (unchecked.length === 0 || !isSealableDocument(document)) return { document, closed, notes: [] };
  const nothing = Object.fromEntries(unchecked.map((part) => [part, undefined]));
  return {
    document: { ...document, ...nothing },
    closed: { ...closed, ...nothing },
    notes: unchecked.map((part) => `${part}: ${closed[part]?.problem}, so what is inside is not checked`),
  };
}

function groupByFile(
  paths: readonly string[],
  problems: readonly FileProblem[],
  entries: readonly CheckedEntry[],
): readonly CheckedFile[] {
  const problemsByPath = Map.groupBy(problems, ({ path }) => path);
  const entriesByPath = Map.groupBy(entries, ({ entry }) => entry.path);
  return paths.map((path) => {
    const own = entriesByPath.get(path) ?? [];
    return {
      path,
      problems: [
        ...(problemsByPath.get(path) ?? []).map(({ problem }) => problem),
        ...own.flatMap((checked) => checked.problems.map((problem) => at(checked.entry, problem))),
      ],
      notes: own.flatMap((checked) => checked.notes.map((note) => at(checked.entry, note))),
    };
  });
}

function at({ id, position }: DocumentEntry, text: string): string {
  return `entry ${position} (${id}): ${text}`;
}
