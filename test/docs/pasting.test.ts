import { describe, expect, it } from 'vitest';
import { runHere } from '../cli/program.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { readPages, scriptsOf } from './support/page.ts';

const pages = readPages();
const scripts = pages.flatMap((page) => scriptsOf(page).map((script) => ({ path: page.path, script })));

const configurations = pages.flatMap(({ path, blocks }) =>
  blocks
    .filter(({ language, text }) => language === 'json' && text.includes('"url"'))
    .map(({ text }) => ({ path, text })),
);

it.each(configurations)('the configuration that $path shows can be put as it stands', async ({ text }) => {
  await using files = await writeTemporaryFiles({ 'webhook.json': text });
  const checked = await runHere({}, 'configurations', 'check', files.path('webhook.json'));
  expect(checked).toMatchObject({ code: 0, err: [] });
});

describe('a line of a shell block', () => {
  const linesWith = (pattern: RegExp): readonly string[] =>
    scripts.flatMap(({ path, script }) =>
      unquoted(script)
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${path}: ${line}`),
    );

  it('has no comment, which a zsh in a terminal takes for words', () => {
    expect(linesWith(/(?:^|\s)#/)).toEqual([]);
  });

  it('has no pattern of file names without quotes, at which zsh stops if no file fits', () => {
    expect(linesWith(/[*?[\]]/)).toEqual([]);
  });

  it('keeps no two words in a variable, which zsh does not split', () => {
    const kept = scripts.flatMap(
      ({ script }) => script.match(/^(?:export )?\w+=(?:'[^']*\s[^']*'|"[^"$]*\s[^"]*")$/gm) ?? [],
    );
    expect(kept).toEqual([]);
  });

  it.each([
    ['date -d', /\bdate .*(?:-d|--date)\b/],
    ['sed -i without a suffix', /\bsed .*-[nrE]*i(?:\s|$)/],
    ['sed -r', /\bsed -\w*r/],
    ['grep -P', /\bgrep -\w*P/],
    ['readlink -f', /\breadlink -\w*f/],
    ['base64, whose options differ', /\bbase64 -/],
    ['basenc', /\bbasenc\b/],
    ['xargs -r and -d', /\bxargs -\w*[rd]/],
    ['stat -c', /\bstat -\w*c/],
    ['head and tail with a count before the end', /\b(?:head -n -|head -c -)/],
    ['long options of small tools', /\b(?:wc|sort|uniq|cut|cp|mv|rm|mkdir|head|ls|comm|tr) (?:\S+ )*--\w/],
    ['timeout, tac, shuf, numfmt', /(?:^|\| *)(?:timeout|tac|shuf|numfmt|nproc|realpath) /],
  ])('needs no tool of GNU: %s', (_, pattern) => {
    expect(linesWith(pattern)).toEqual([]);
  });
});

/** Returns a script without what is quoted, because that reaches the command as it is. Commands in double quotes stay. */
function unquoted(script: string): string {
  return script
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) => `"${/\$\(.*\)/s.exec(text)?.[0] ?? ''}"`)
    .replaceAll(/\$\{[^}]*\}/g, '$');
}
