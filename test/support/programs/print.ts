import { packagesOf } from './missing-programs.ts';
import { isMissing, programNames, programOf } from './programs.ts';

/** The lists that `.ci/run` asks for, one name a line. */
const lists: Readonly<Record<string, () => readonly string[]>> = {
  'missing-packages': () => packagesOf(programNames.filter((name) => isMissing(name))),
  'optional-commands': () =>
    programNames.map(programOf).flatMap(({ commands, isExpected = false }) => (isExpected ? [] : commands)),
};

const [list = ''] = process.argv.slice(2);
const names = lists[list];
if (names === undefined) throw new Error(`Expected one of ${Object.keys(lists).join(', ')}, not '${list}'.`);
process.stdout.write(
  names()
    .map((name) => `${name}\n`)
    .join(''),
);
