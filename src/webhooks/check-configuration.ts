import { readFiles, scanFiles } from './files/configuration-files.ts';
import type { DocumentEntry, FileProblem } from './files/documents.ts';
import { createConfigurationParser, type ParseConfiguration } from './configuration-schema.ts';
import type { OpenDocument, OpenedDocument } from './sealing/open-document.ts';
import { isPartlySealed, sealableParts } from './sealing/sealable-parts.ts';
import type { PortPolicy } from './url-rules.ts';

/** Everything that is wrong with one file and the configurations in it; an empty list when it can be used as it is. */
interface CheckedFile {
  readonly path: string;
  readonly problems: readonly string[];
  /** What could not be judged, because it is sealed and there are only keys that seal. */
  readonly notes: readonly string[];
}

/** One configuration of a file, judged. */
export interface CheckedEntry {
  readonly entry: DocumentEntry;
  /** With what could be opened in the place of what was sealed. */
  readonly opened: unknown;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

export interface CheckedDocuments {
  readonly files: readonly CheckedFile[];
  readonly entries: readonly CheckedEntry[];
}

export interface CheckOptions {
  readonly isAllowedPort: PortPolicy;
  readonly open: OpenDocument;
  readonly signal: AbortSignal;
}

/** Judges files, and folders of them, as the service would, without touching anything else. */
export async function checkDocuments(
  paths: readonly string[],
  { isAllowedPort, open, signal }: CheckOptions,
): Promise<CheckedDocuments> {
  const surveys = await Promise.all([...new Set(paths)].map((path) => scanFiles(path)));
  const found = surveys.flatMap((survey) => (survey.kind === 'found' ? survey.files : []));
  const unusable = surveys.flatMap((survey) => (survey.kind === 'unusable' ? [survey.problem] : []));
  // A file named twice, or by itself and with its folder, holds each of its configurations once.
  const files = [...new Set(found)];
  const { entries, problems } = await readFiles(files, signal);
  const parse = createConfigurationParser({ isAllowedPort });
  const checked: CheckedEntry[] = [];
  for (const entry of entries) checked.push(checkEntry(entry, await open(entry.value), parse));
  const told = [...files, ...unusable.map(({ path }) => path)];
  return { files: byFile(told, [...unusable, ...problems], checked), entries: checked };
}

/** A configuration that is not enabled is judged, too: it may be enabled tomorrow. */
function checkEntry(entry: DocumentEntry, opened: OpenedDocument, parse: ParseConfiguration): CheckedEntry {
  const { document, closed, notes } = withoutUncheckedParts(opened);
  const parsed = parse(entry.id, document, closed);
  return { entry, opened: document, problems: parsed.kind === 'accepted' ? [] : parsed.problems, notes };
}

/** Who may only seal can't look into what is sealed, and may write it all the same: that is left out of the judgement. */
function withoutUncheckedParts({ document, closed }: OpenedDocument): OpenedDocument & { readonly notes: readonly string[] } {
  const unjudged = sealableParts.filter((part) => closed[part]?.missing === 'private half');
  if (unjudged.length === 0 || !isPartlySealed(document)) return { document, closed, notes: [] };
  const nothing = Object.fromEntries(unjudged.map((part) => [part, undefined]));
  return {
    document: { ...document, ...nothing },
    closed: { ...closed, ...nothing },
    notes: unjudged.map((part) => `${part}: ${closed[part]?.problem}, so what is inside is not checked`),
  };
}

function byFile(
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
