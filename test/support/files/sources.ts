import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The root of the repository. */
export const root = join(import.meta.dirname, '..', '..', '..');

/** A TypeScript file of this repository, parsed by patterns only. */
export interface SourceFile {
  /** The path from the root, with slashes. */
  readonly path: string;
  readonly text: string;
  /** The text without comments and without the content of quotes. */
  readonly code: string;
  readonly lines: number;
  readonly imports: readonly Import[];
}

interface Import {
  /** A path from the root, or the name of a package. */
  readonly target: string;
  readonly isTypeOnly: boolean;
}

/** Returns all files below a folder of the root, sorted by path. */
export function readSources(folder: string): readonly SourceFile[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .toSorted()
    .map((path) => parseSource(path, readText(path)));
}

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function parseSource(path: string, text: string): SourceFile {
  return { path, text, code: codeOf(text), lines: text.trimEnd().split('\n').length, imports: importsOf(path, text) };
}

function importsOf(path: string, text: string): readonly Import[] {
  const declarations = text.matchAll(/^(?:import|export)\b(?<type> type\b)?[^;'"]*['"](?<specifier>[^'"]+)['"];/gm);
  const dynamic = text.matchAll(/\b(?:import|require)\(\s*['"](?<specifier>[^'"]+)['"]/g);
  return [...declarations, ...dynamic].map(({ groups = {} }) => ({
    target: targetOf(path, groups['specifier'] ?? ''),
    isTypeOnly: groups['type'] !== undefined,
  }));
}

/** `@scope/name/sub/path` is the package `@scope/name`. */
function targetOf(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative(root, join(root, dirname(path), specifier));
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function codeOf(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(?<![:\\])\/\/.*$/gm, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.|\$(?!\{))*`/g, "''");
}
