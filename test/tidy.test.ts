import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circlesOf } from './support/files/circles.ts';
import { readSources, readText, root, type SourceFile } from './support/files/sources.ts';

/** The rooms that each room may import. A room is a folder of `src`, or a file there. Every room may import `lib`. */
const borders: Readonly<Record<string, { readonly all: readonly string[]; readonly types?: readonly string[] }>> = {
  main: { all: ['service', 'cli'], types: ['settings'] },
  service: {
    all: ['settings', 'pipeline', 'certificates', 'webhooks', 'deliveries', 'flow', 'http', 'kafka', 'telemetry'],
  },
  cli: {
    all: [
      'service',
      'settings',
      'pipeline',
      'certificates',
      'webhooks',
      'deliveries',
      'flow',
      'http',
      'kafka',
      'telemetry',
    ],
  },
  settings: { all: ['certificates', 'webhooks', 'deliveries'] },
  pipeline: { all: ['certificates', 'webhooks', 'deliveries', 'flow'] },
  kafka: { all: ['pipeline', 'certificates', 'webhooks', 'deliveries', 'flow'], types: ['settings'] },
  // Implements the ports that the pipeline and the Kafka side declare.
  telemetry: { all: ['pipeline', 'certificates', 'webhooks', 'deliveries', 'flow', 'http'], types: ['kafka'] },
  flow: { all: ['webhooks', 'deliveries'], types: ['settings'] },
  http: { all: ['deliveries'] },
  deliveries: { all: ['webhooks', 'certificates'] },
  webhooks: { all: ['certificates'] },
  certificates: { all: [] },
  lib: { all: [] },
};

/** Packages that one room wraps for all others. */
const wrapped: Readonly<Record<string, string>> = {
  kafkajs: 'src/kafka/kafkajs/',
  undici: 'src/http/',
  'prom-client': 'src/telemetry/metrics/',
};

/** Rooms inside a room that import `lib` and nothing else. */
const leaves = ['src/webhooks/sealing/', 'src/kafka/codecs/'];

const longestFile = 300;
const mostFilesInFolder = 20;

/**
 * What `src` holds, with a little air. A change that raises a number says in its message what that buys.
 */
const most = { lines: 34_780, files: 314 };

const vagueFolders = ['utils', 'helpers', 'common', 'types', 'core', 'shared', 'misc'];

/** Constructs that no file holds outside of comments and quotes, and what to do instead. */
const forbiddenCode: readonly (readonly [name: string, pattern: RegExp, instead: string])[] = [
  ['`any`', /\bas any\b|<any\b|\bany\[\]|\): any\b/, 'say `unknown` and parse it'],
  ['`!`', /[\w)\]]!(?=[.,;)\]])/, 'make the type say it, or throw'],
  ['`as unknown as`', /\bas unknown as\b/, 'parse the value'],
  ['enum', /\benum\s+\w+\s*\{/, 'list the words in a union'],
  ['default export', /\bexport default\b/, 'export it by its name'],
];

/** Openings of a doc comment that hide its subject. A comment begins with a verb or a noun. */
const hiddenSubject = /^[ \t]*\/\*\*[\s*]+(?:Of|What|Whether|By|So many|As many|Who|Whoever|It)\b/m;

/** Words that only this project used, and the field's words instead. */
const privateWords: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:RecordLife|AssignmentLife)\b/, 'RecordContext, AssignmentContext'],
  [/\b(?:isConfirmed|ownership in doubt|doubtful|doubted)\b/i, 'still owned, suspect, warned about'],
  [/\b(?:under way|RecordUnderWay)\b/i, 'in flight'],
  [/\b(?:bur(?:y|ies|ied|ial|ials)|buriedAs)\b/i, 'dead-letter, publish a dead letter'],
  [/\binsist(?:s|ed|ence)?\b/i, 'retry until success'],
  [/\b(?:takeUp|setAside|set aside|turnAway|leaveOut)\b/i, 'mark active, mark waiting, reject, exclude'],
  [/\b(?:turnstile|tally|RecentTally|voices)\b/i, 'pacer, wait group, sliding counter, sinks'],
  [/\b(?:remade|becomeAnother|made anew|anew)\b/i, 'recreated, again'],
  [/\b(?:StoodStillError|StandstillError|lastSignAt|hasNews)\b/, 'the names in the glossary'],
  [/\b(?:nobody['’]s|mend(?:s|ed)?|meanwhile|all the same)\b/i, 'unowned, fix, in the meantime, still'],
];

/** Patterns see less than the compiler and the linter, so no comment may switch those off. */
const suppressions = /\b(?:oxlint|eslint)-disable|@ts-(?:ignore|expect-error|nocheck)\b/;

const sources = readSources('src');
// A configuration of vitest is a default export.
const tests = [...readSources('test'), ...readSources('helm'), ...readSources('docs')].filter(
  ({ path }) => path !== 'test/tidy.test.ts' && !path.endsWith('vitest.config.ts'),
);

describe('the rooms of src', () => {
  it('are all known', () => {
    const unknown = new Set(sources.map(roomOf).filter((room) => !(room in borders)));
    expect([...unknown], 'Give the room a name from the glossary, and a line in `borders` above.').toEqual([]);
  });

  it('import only what lies below them', () => {
    const crossings = sources.flatMap((file) => file.imports.flatMap((one) => crossing(file, one)));
    expect(crossings, 'Declare a port in the file that needs it, and let `service.ts` pass it in.').toEqual([]);
  });

  it('import the ports of the pipeline, and its story in the service alone', () => {
    const story = sources
      .filter(({ imports }) => imports.some(({ target }) => target === 'src/pipeline/pipeline.ts'))
      .filter((file) => roomOf(file) !== 'service');
    expect(paths(story), 'Import src/pipeline/ports.ts, or declare a port.').toEqual([]);
  });

  it.each(leaves)('keep %s a leaf', (leaf) => {
    const allowed = [leaf, 'src/lib/'];
    const crossings = sources
      .filter(({ path }) => path.startsWith(leaf))
      .flatMap(({ path, imports }) => imports.map(({ target }) => ({ path, target })))
      .filter(({ target }) => target.startsWith('src/') && !allowed.some((folder) => target.startsWith(folder)));
    expect(crossings, 'Move what it needs into it, or into `lib`.').toEqual([]);
  });

  it.each(Object.entries(wrapped))('leave %s to %s', (name, home) => {
    const strangers = sources
      .filter(({ path, imports }) => !path.startsWith(home) && imports.some(({ target }) => target === name))
      .map(({ path }) => path);
    expect(strangers, `Use what ${home} exports; if it lacks something, add it there.`).toEqual([]);
  });

  it('reach the Kafka client through its ports: one file makes the client', () => {
    const adapter = 'src/kafka/kafkajs/';
    const users = sources
      .filter(
        ({ path, imports }) => !path.startsWith(adapter) && imports.some(({ target }) => target.startsWith(adapter)),
      )
      .map(({ path }) => path);
    expect(users, 'Use the ports in src/kafka/client/.').toEqual(['src/service/kafka-clients.ts']);
  });

  it('read the environment in the settings only', () => {
    const readers = sources.filter(
      ({ path, code }) => roomOf({ path }) !== 'settings' && /\bprocess\.env\b/.test(code),
    );
    expect(paths(readers), 'Make it a setting, and take it from `Settings`.').toEqual([]);
  });

  it('read the wall clock through the clock only', () => {
    const readers = sources.filter(
      ({ path, code }) => path !== 'src/lib/clock.ts' && /\bDate\.now\b|\bnew Date\(\)/.test(code),
    );
    expect(paths(readers), 'Take a `WallClock`; or a `MonotonicClock` to measure a duration.').toEqual([]);
  });

  it('write to the standard streams through the terminal and the log only', () => {
    const writers = sources.filter(({ code }) => /\bprocess\.std(?:out|err)\b|\bconsole\./.test(code));
    expect(paths(writers), 'Take a `Terminal`, which escapes what would forge lines.').toEqual([]);
  });

  it('import in one direction: no folder or file imports one that imports it', () => {
    expect(circlesOf(sources), 'Declare a port where it is needed, or move what both need below them.').toEqual([]);
  });

  it(`hold at most ${mostFilesInFolder} files a folder`, () => {
    const folders = Map.groupBy([...sources, ...tests], ({ path }) => dirname(path));
    const crowded = [...folders].filter(([, files]) => files.length > mostFilesInFolder).map(([folder]) => folder);
    expect(crowded, 'Give the second subject in it a folder of its own.').toEqual([]);
  });

  it('only shrink', () => {
    const held = { lines: sources.reduce((sum, { lines }) => sum + lines, 0), files: sources.length };
    expect(held.lines, 'Look for what the change replaces.').toBeLessThanOrEqual(most.lines);
    expect(held.files, 'Put it where its user is.').toBeLessThanOrEqual(most.files);
  });

  it('declare each name of a type once', () => {
    // Those of kafkajs are its own.
    const own = sources.filter(({ path }) => path !== 'src/kafka/kafkajs/internals.ts');
    const names = own.flatMap(({ code, path }) =>
      [...code.matchAll(/^(?:export )?(?:abstract )?(?:class|interface|type) (?<name>\w+)/gm)].map(({ groups }) => ({
        name: groups?.['name'] ?? '',
        path,
      })),
    );
    const twice = [...Map.groupBy(names, ({ name }) => name)].filter(([, found]) => found.length > 1);
    expect(
      twice.map(([name]) => name),
      'Say in its name what sets it apart.',
    ).toEqual([]);
  });

  it('have folders that say what is in them', () => {
    const folders = new Set([...sources, ...tests].flatMap(({ path }) => dirname(path).split('/')));
    const vague = vagueFolders.filter((name) => folders.has(name));
    expect(vague, 'Name the folder after the noun or the outside thing it is about.').toEqual([]);
  });
});

describe('a file', () => {
  it(`has at most ${longestFile} lines`, () => {
    const long = [...sources, ...tests].filter(({ lines }) => lines > longestFile);
    expect(paths(long), 'Find the second idea in it and give that a file.').toEqual([]);
  });

  it.each(forbiddenCode)('holds no %s', (_name, pattern, instead) => {
    const offenders = [...sources, ...tests].filter(({ code }) => pattern.test(code));
    expect(paths(offenders), `Instead, ${instead}.`).toEqual([]);
  });

  it('silences neither the compiler nor the linter', () => {
    const silenced = [...sources, ...tests].filter(({ text }) => suppressions.test(text));
    expect(paths(silenced), 'Change the code; or the rule in .oxlintrc.json, for all.').toEqual([]);
  });

  it('leaves nothing to be done', () => {
    const unfinished = [...sources, ...tests].filter(({ text }) => /\b(?:TODO|FIXME|XXX|HACK)\b/.test(text));
    expect(paths(unfinished), 'Do it, or write it down where work is planned.').toEqual([]);
  });

  it('begins each doc comment with a verb or a noun', () => {
    const hidden = [...sources, ...tests].filter(({ text }) => hiddenSubject.test(text));
    expect(paths(hidden), 'Say who does what: "Returns…", "The oldest offset that…".').toEqual([]);
  });

  it('of src imports nothing of the tests', () => {
    const leaning = sources.filter(({ imports }) => imports.some(({ target }) => target.startsWith('test/')));
    expect(paths(leaning), 'What the service needs lives in `src`.').toEqual([]);
  });
});

describe('the language', () => {
  const written = globSync('{README,CONTRIBUTING}.md', { cwd: root }).concat(
    globSync('{src,test,helm,docs}/**/*.{ts,mjs,py,md,yaml,tpl,txt,json}', { cwd: root }),
  );
  const texts = written.filter((path) => path !== 'test/tidy.test.ts').map((path) => ({ path, text: readText(path) }));

  it.each(privateWords)('has no word that matches %s', (pattern, instead) => {
    const using = texts.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
    expect(using, `Use the field's words: ${instead}.`).toEqual([]);
  });
});

/** `src/kafka/consumer/offset-ledger.ts` is in the room `kafka`, and `src/pipeline/pipeline.ts` is the room `pipeline`. */
function roomOf({ path }: Pick<SourceFile, 'path'>): string {
  return (path.split('/')[1] ?? '').replace(/\.ts$/, '');
}

function crossing(file: SourceFile, { target, isTypeOnly }: SourceFile['imports'][number]): readonly string[] {
  if (!target.startsWith('src/')) return [];
  const [from, to] = [roomOf(file), roomOf({ path: target })];
  const { all = [], types = [] } = borders[from] ?? {};
  const allowed = [from, 'lib', ...all, ...(isTypeOnly ? types : [])];
  return allowed.includes(to) ? [] : [`${file.path} → ${target}`];
}

function paths(files: readonly SourceFile[]): readonly string[] {
  return files.map(({ path }) => path);
}
