import { assert as assertProperty, asyncProperty, constantFrom, integer, oneof, type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ignoreSealed } from '../../../src/webhooks/sealing/open-document.ts';
import { checkDocuments } from '../../../src/webhooks/check-configuration.ts';
import { parseDocument } from '../../../src/webhooks/files/documents.ts';
import { watchFiles } from '../../../src/webhooks/files/file-watch.ts';
import { aConfiguration } from '../../support/builders.ts';
import { PollClock } from '../poll-clock.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { watchFile } from './watched-source.ts';

const good = aConfiguration({ _id: 'one' });
const bad = aConfiguration({ _id: 'two', _ownerId: 'owner' });
const nestedLists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Returns a list of two configurations, the second one with a field that is nested so deep. */
function withNested(levels: number): string {
  return `[${JSON.stringify(good)},${JSON.stringify(bad).slice(0, -1)},"extra":${nestedLists(levels)}}]`;
}

describe('a file with a configuration nested 10,000 deep', () => {
  it('is loaded at the start and at a reload, and that configuration alone is refused', async () => {
    await using watched = await watchFile(withNested(10_000));
    expect(watched.states()).toEqual(['active', 'invalid', undefined]);
    await watched.write(JSON.stringify(good));
    await watched.clock.poll(3);
    await watched.write(withNested(9_000));
    await watched.clock.poll(3);
    expect(watched.states()).toEqual(['active', 'invalid', undefined]);
    expect(watched.directory.ofOwner('owner')).toMatchObject([{ id: 'two' }]);
    const refused = 'refused two: must not be nested more than 32 deep';
    expect(watched.events).toEqual([refused, 'reloaded 1', refused, 'reloaded 2']);
  });

  it('keeps the last good set when the parser gives up on it', async () => {
    await using watched = await watchFile(JSON.stringify(good), 'webhooks.yaml');
    await watched.write(withNested(10_000));
    await watched.clock.poll(11);
    expect(watched.states()).toEqual(['active', undefined, undefined]);
    expect(watched.events).toEqual([expect.stringMatching(/^failed: .* is nested too deep/)]);
  });

  it('is checked by the same rules', async () => {
    const large = JSON.stringify({ ...bad, _id: 'three', extra: 'x'.repeat(70_000) });
    await using folder = await writeTemporaryFiles({ 'deep.json': withNested(10_000), 'large.json': large });
    const { files } = await checkDocuments([folder.path('deep.json'), folder.path('large.json')], {
      rules: { isAllowedPort: () => true, mostInFlight: 16 },
      open: ignoreSealed,
      signal: new AbortController().signal,
    });
    expect(files.map(({ problems }) => problems)).toEqual([
      ['entry 2 (two): must not be nested more than 32 deep'],
      ['entry 1 (three): must not exceed 64 KiB'],
    ]);
  });
});

describe('any text of a file', () => {
  const brackets = constantFrom('[', '{"a":', '- ', '? ', '&a [*a, ', '!!map {', '"', "'", '# ', '*a ', '|\n ', ': ');
  const text: Arbitrary<string> = oneof(
    integer({ min: 1, max: 10_000 }).chain((levels) => brackets.map((bracket) => bracket.repeat(levels))),
    integer({ min: 1, max: 2_000 }).map((levels) =>
      Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
    ),
    integer({ min: 1, max: 10_000 }).map(nestedLists),
  );

  it('is parsed to entries or has a problem, and never throws', async () => {
    await assertProperty(
      asyncProperty(text, constantFrom('a.json', 'a.yaml'), async (content, path) => {
        const { kind } = parseDocument(path, content);
        expect(['entries', 'unusable']).toContain(kind);
      }),
      { numRuns: 30 },
    );
  });
});

describe('an exception of our own code at a reload', () => {
  it.each(['load', 'apply'])('counts as a failed reload, and the files are read again: %s', async (step) => {
    await using folder = await writeTemporaryFiles({ file: '1' });
    const clock = new PollClock();
    const outcomes: unknown[] = [];
    let isBroken = true;
    const fail = (at: string): void => {
      if (isBroken && at === step) throw new RangeError('hush');
    };
    await using _watch = watchFiles({
      path: folder.path('file'),
      fingerprint: 'another',
      clock,
      load: async () => {
        fail('load');
        const apply = (): void => {
          fail('apply');
          outcomes.push('applied');
        };
        return { problems: [], apply };
      },
      reportFailure: (problems) => void outcomes.push(problems.map(({ problem }) => problem).join()),
    });
    await clock.poll(3);
    isBroken = false;
    await folder.write('file', 'changed');
    await clock.poll(3);
    expect(outcomes).toEqual(["can't be used: this service failed on it (RangeError)", 'applied']);
  });
});
