import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { parseCommand } from '../../src/cli/command.ts';
import { variableEntries } from '../../src/settings/variables.ts';
import { parseOptions } from '../demo/options.ts';
import { readText } from '../support/files/sources.ts';
import { readPages, type Page } from './support/page.ts';

const pages = readPages();
const withShell = pages.filter(({ blocks }) => blocks.some(({ language }) => language === 'sh'));

describe.each(withShell.map((page) => [page.path, page] as const))('what %s has people type', (_path, page) => {
  it('is what a shell understands', () => {
    const scripts = page.blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
    const complaints = scripts.map((script) => spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' }).stderr);
    expect(complaints.filter((complaint) => complaint !== '')).toEqual([]);
  });

  it('are commands and scripts that there are', () => {
    expect(commandsIn(page).flatMap(problemOf)).toEqual([]);
  });

  it('are settings that have such values', () => {
    const given = linesOf(page).flatMap((line) => line.match(/\b[A-Z_]+=[^\s$]+/g) ?? []);
    expect(given.flatMap((text) => wrongValue(...split(text, '=')))).toEqual([]);
  });
});

describe('the values for the chart', () => {
  const given = pages.flatMap(({ path, blocks }) =>
    blocks.filter(({ language }) => language === 'yaml').map(({ text }) => ({ path, values: parse(text) as object })),
  );

  it.each(given)('in $path are values that it has', ({ values }) => {
    const { settings = {}, ...others } = values as { readonly settings?: object };
    const known = parse(readText('helm/certificate-webhooks/values.yaml')) as object;
    expect(unknownPaths(others, known)).toEqual([]);
    expect(Object.entries(settings).flatMap(([name, value]) => wrongValue(name, String(value)))).toEqual([]);
  });
});

/** Without comments, and with what is continued on the next line put together. */
function linesOf({ blocks }: Page): readonly string[] {
  return blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) =>
      text
        .replaceAll('\\\n', ' ')
        .replaceAll(/(?<=^|\s)#.*$/gm, '')
        .split('\n'),
    )
    .map((line) => line.trim());
}

/** Typed lines that are about this repository, without the settings in front of them; and those within sentences. */
function commandsIn(page: Page): readonly string[] {
  return [...linesOf(page), ...page.code]
    .map((line) => line.replace(/^(?:[A-Z_]+=\S* )+/, ''))
    .filter((line) => /^(?:npm (?:start|run|test)|node src\/main\.ts|certificate-webhooks)(?: |$)/.test(line));
}

function problemOf(line: string): readonly string[] {
  const [program, ...words] = line.split(/\s+/).filter((word) => word !== '--');
  if (program === 'certificate-webhooks') return mistakesOf(line, words);
  const [verb, ...rest] = words;
  return verb === 'run' ? scriptProblem(line, rest) : mistakesOf(line, verb === 'test' ? [] : rest);
}

function scriptProblem(line: string, [name = '', ...options]: readonly string[]): readonly string[] {
  if (!(name in packageJson.scripts)) return [`${line}: there is no script ${name}`];
  return name === 'demo' && parseOptions(options).kind === 'mistaken' ? [line] : [];
}

function mistakesOf(line: string, words: readonly string[]): readonly string[] {
  const command = parseCommand(words);
  return command.kind === 'mistaken' ? [`${line}: ${command.problem}`] : [];
}

function split(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

function wrongValue(name: string, value: string): readonly string[] {
  const variable = variableEntries.find(([one]) => one === name)?.[1];
  if (variable === undefined || variable.file === true) return [];
  return variable.kind.parse(value).kind === 'value' ? [] : [`${name}=${value}`];
}

function unknownPaths(given: object, known: object, path = ''): readonly string[] {
  return Object.entries(given).flatMap(([key, value]) => {
    const there: unknown = Object.entries(known).find(([name]) => name === key)?.[1];
    if (there === undefined) return [`${path}${key}`];
    const isFurther = isMap(value) && isMap(there);
    return isFurther ? unknownPaths(value, there, `${path}${key}.`) : [];
  });
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
