import type { SourceFile } from './sources.ts';

/** One `/** … *\/` comment of a file. */
export interface DocComment {
  readonly path: string;
  /** Where it begins, from 1. */
  readonly line: number;
  readonly sentences: readonly string[];
}

/** Returns the doc comments of a file in order. Diagrams, tables and code in them are left out. */
export function docCommentsOf({ path, text }: Pick<SourceFile, 'path' | 'text'>): readonly DocComment[] {
  return [...text.matchAll(/^[ \t]*\/\*\*(?<body>[\s\S]*?)\*\//gm)].map(({ groups = {}, index }) => ({
    path,
    line: text.slice(0, index).split('\n').length,
    sentences: sentencesOf(groups['body'] ?? ''),
  }));
}

export function wordsIn(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** An item of a list, an `@` tag and the text around a blank line, table or diagram each begin a sentence. */
function sentencesOf(body: string): readonly string[] {
  const lines = body
    .replaceAll(/```[\s\S]*?```/g, '\n')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''));
  const paragraphs = lines.map((line, index) => paragraphLine(index === 0 ? line.trim() : line)).join('\n');
  return paragraphs
    .split(/\n{2,}/)
    .flatMap((paragraph) => paragraph.replaceAll('\n', ' ').split(/(?<=[.!?][)"”']?)\s+(?=[\p{Lu}`"“(\d])/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => wordsIn(sentence) > 0);
}

function paragraphLine(line: string): string {
  const isDrawn = /^(?:\||\s{2,}\S|.*[─│┌└├▶▼→].*[─│┌└├▶▼→])/u.test(line);
  if (isDrawn) return '\n';
  return /^\s?(?:[-*•] |\d+\. |@)/.test(line) ? `\n\n${line}` : line;
}
