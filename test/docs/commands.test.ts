import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { parseCommand } from '../../src/cli/command.ts';
import { variableEntries } from '../../src/settings/variables.ts';
import { readText } from '../support/files/sources.ts';
import { linesOf, readPages, scriptsOf, type Page } from './support/page.ts';

const pages = readPages();
const withShell = pages.filter(({ blocks }) => blocks.some(({ language }) => language === 'sh'));

describe.each(withShell.map((page) => [page.path, page] as const))('the shell blocks of %s', (_path, page) => {
  it('have valid shell syntax', () => {
    const errors = scriptsOf(page).map((input) => spawnSync('bash', ['-n'], { input, encoding: 'utf8' }).stderr);
    expect(errors.filter((error) => error !== '')).toEqual([]);
  });

  it('name commands and scripts that exist', () => {
    expect(commandsIn(page).flatMap(problemOf)).toEqual([]);
  });

  it('set settings to values that they accept', () => {
    const assignments = linesOf(page).flatMap((line) => line.match(/\b[A-Z_]+=[^\s$]+/g) ?? []);
    expect(assignments.flatMap((text) => invalidValue(...split(text, '=')))).toEqual([]);
  });
});

describe('the commands of Kubernetes that the pages show', () => {
  const lines = withShell.flatMap(linesOf).filter((line) => line.includes('kubectl'));

  it('select the pods of one release', () => {
    const selectors = lines.flatMap((line) => line.match(/ (?:-l|--selector)[ =]\S+/g) ?? []);
    expect(selectors.filter((text) => !/\$PODS|app\.kubernetes\.io\/instance=/.test(text))).toEqual([]);
    expect(selectors.length).toBeGreaterThan(0);
  });
});

describe('the commands that read the log of the pods', () => {
  const readers = withShell.filter((page) =>
    linesOf(page).some((line) => /\bkubectl .*\blogs\b.*--tail -1/.test(line)),
  );

  it('ask for no hours of it, which its newest file seldom holds', () => {
    const times = readers.flatMap(linesOf).flatMap((line) => line.match(/\blogs .*--since \S+/) ?? []);
    expect(times.filter((text) => !/--since (?:\d+m|\$\{1:-15m\})$/.test(text))).toEqual([]);
  });

  it.each(readers)('stand on a page that says what they do not see: $path', ({ links }) => {
    expect(links.some((link) => link.endsWith('#how-far-kubectl-logs-goes-back'))).toBe(true);
  });
});

describe('the chart values that the pages show', () => {
  const examples = pages.flatMap(({ path, blocks }) =>
    blocks.filter(({ language }) => language === 'yaml').map(({ text }) => ({ path, values: parse(text) as object })),
  );

  it.each(examples)('in $path exist in the chart', ({ values }) => {
    const { settings = {}, ...others } = values as { readonly settings?: object };
    const known = parse(readText('helm/certificate-webhooks/values.yaml')) as object;
    expect(unknownPaths(others, known)).toEqual([]);
    expect(Object.entries(settings).flatMap(([name, value]) => invalidValue(name, String(value)))).toEqual([]);
  });
});

/** The commands of this repository, in shell blocks and in sentences, without the settings in front of them. */
function commandsIn(page: Page): readonly string[] {
  return [...linesOf(page), ...page.code]
    .map((line) =>
      line.replace(/^(?:[A-Z_]+=\S* )+/, '').replace(/^(?:npx|kubectl .*? exec .*? --) +(?=node src\/main\.ts)/, ''),
    )
    .map((line) => line.replace(/ +(?:[|<>]|2>).*$/, ''))
    .filter((line) => /^(?:npm (?:start|run)|node src\/main\.ts|certificate-webhooks)(?: |$)/.test(line));
}

function problemOf(line: string): readonly string[] {
  const [program, ...words] = line.split(/\s+/).filter((word) => word !== '--');
  if (program === 'certificate-webhooks') return commandProblem(line, words);
  const [verb, ...args] = words;
  if (program === 'node') return commandProblem(line, args);
  // npm prints lines of its own, which are then in the file that keeps the output.
  if (verb === 'start') return [`${line}: expected npx node src/main.ts`];
  return args.slice(0, 1).flatMap((name) => (name in packageJson.scripts ? [] : [`${line}: no script ${name} exists`]));
}

function commandProblem(line: string, words: readonly string[]): readonly string[] {
  const command = parseCommand(words);
  return command.kind === 'invalid' ? [`${line}: ${command.problem}`] : [];
}

function split(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

function invalidValue(name: string, value: string): readonly string[] {
  const variable = variableEntries.find(([one]) => one === name)?.[1];
  if (variable === undefined || variable.file === true) return [];
  return variable.kind.parse(value).kind === 'value' ? [] : [`${name}=${value}`];
}

function unknownPaths(values: object, known: object, path = ''): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const expected: unknown = Object.entries(known).find(([name]) => name === key)?.[1];
    if (expected === undefined) return [`${path}${key}`];
    // An empty one takes any keys.
    const isNested = isMap(value) && isMap(expected) && Object.keys(expected).length > 0;
    return isNested ? unknownPaths(value, expected, `${path}${key}.`) : [];
  });
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
