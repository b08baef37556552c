import { expect, it } from 'vitest';
import { closingLines } from './closing-lines.ts';
import type { Lack } from './missing-programs.ts';

const debian = { isUbuntu: false, isRoot: false };
const promtool: Lack = { program: 'promtool' };
const prometheus: Lack = { program: 'prometheus' };
const chromium: Lack = { program: 'chromium' };

it('counts each test once in all, and once for each program that it lacks', () => {
  const skipped = [[chromium], [prometheus, promtool], [promtool], [promtool]];
  expect(closingLines({ skipped, shortened: 0, unseen: [] }, debian)).toEqual([
    'Not run: 4 tests, because these programs are missing:',
    '     3 promtool   checks alerts, rules and dashboards',
    '     1 prometheus watches a running service',
    '     1 chromium   opens the status page',
    'To run them on Debian or Ubuntu: sudo apt-get install --no-install-recommends prometheus chromium',
  ]);
});

it('says of a program that is installed why it cannot be used, and does not have it installed again', () => {
  const podman: Lack = { program: 'podman', problem: 'not permitted' };
  expect(closingLines({ skipped: [[podman]], shortened: 0, unseen: [] }, debian)).toEqual([
    'Not run: 1 test, because these programs are missing:',
    '     1 podman     builds and runs the image; it does not work here: not permitted',
  ]);
});

it('names the packages of Ubuntu there, and leaves out sudo for root', () => {
  const ubuntu = { isUbuntu: true, isRoot: true };
  expect(closingLines({ skipped: [[chromium]], shortened: 0, unseen: [] }, ubuntu).at(-1)).toBe(
    'To run them on Debian or Ubuntu: apt-get install --no-install-recommends chromium-browser',
  );
});

it('ends with the number of shortened properties', () => {
  const last = (shortened: number): string | undefined =>
    closingLines({ skipped: [[chromium]], shortened, unseen: [] }, debian).at(-1);
  expect(last(1)).toBe('1 long property ran a tenth of its cases; CI=true runs all of them.');
  expect(last(3)).toBe('3 long properties ran a tenth of their cases; CI=true runs all of them.');
});

it('names the guarantees whose scenarios were all skipped', () => {
  const unseen = [{ name: 'I1', title: 'a commit never passes an unsettled delivery' }];
  expect(closingLines({ skipped: [], shortened: 0, unseen }, debian)).toEqual([
    'Not seen: guarantee I1, a commit never passes an unsettled delivery.',
  ]);
});

it('says nothing when everything ran', () => {
  expect(closingLines({ skipped: [], shortened: 0, unseen: [] }, debian)).toEqual([]);
});
