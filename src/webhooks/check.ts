import { readFiles, surveyFiles } from './configuration-files.ts';
import type { DocumentEntry, FileProblem } from './documents.ts';
import { createConfigurationParser, type ParseConfiguration } from './schema.ts';
import type { PortPolicy } from './url-rules.ts';

/** Everything that is wrong with one file and the configurations in it; an empty list when it can be used as it is. */
export interface CheckedFile {
  readonly path: string;
  readonly problems: readonly string[];
}

/** Judges files, and folders of them, as the service would, without touching anything else. */
export async function checkDocuments(
  paths: readonly string[],
  { isAllowedPort, signal }: { readonly isAllowedPort: PortPolicy; readonly signal: AbortSignal },
): Promise<readonly CheckedFile[]> {
  const surveys = await Promise.all([...new Set(paths)].map((path) => surveyFiles(path)));
  const found = surveys.flatMap((survey) => (survey.kind === 'found' ? survey.files : []));
  const unusable = surveys.flatMap((survey) => (survey.kind === 'unusable' ? [survey.problem] : []));
  // A file named twice, or by itself and with its folder, holds each of its configurations once.
  const files = [...new Set(found)];
  const { entries, problems } = await readFiles(files, signal);
  const parse = createConfigurationParser({ isAllowedPort });
  const all = [...unusable, ...problems, ...entries.flatMap((entry) => entryProblems(entry, parse))];
  return byFile([...files, ...unusable.map(({ path }) => path)], all);
}

/** A configuration that is not enabled is judged, too: it may be enabled tomorrow. */
function entryProblems(
  { id, value, path, position }: DocumentEntry,
  parse: ParseConfiguration,
): readonly FileProblem[] {
  const parsed = parse(id, value);
  if (parsed.kind === 'accepted') return [];
  return parsed.problems.map((problem) => ({ path, problem: `entry ${position} (${id}): ${problem}` }));
}

function byFile(paths: readonly string[], problems: readonly FileProblem[]): readonly CheckedFile[] {
  const grouped = Map.groupBy(problems, ({ path }) => path);
  return paths.map((path) => ({ path, problems: (grouped.get(path) ?? []).map(({ problem }) => problem) }));
}
