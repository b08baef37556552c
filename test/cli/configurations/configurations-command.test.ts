import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../../src/cli/command.ts';

function parse(line: string) {
  return parseCommand(['configurations', ...line.split(' ').filter((word) => word !== '')]);
}

describe('configurations', () => {
  it.each([
    ['list', { verb: 'list', ids: [], owner: undefined, history: false, json: false }],
    ['list a --owner b --json', { verb: 'list', ids: ['a'], owner: 'b', history: false, json: true }],
    ['list --history', { verb: 'list', ids: [], owner: undefined, history: true, json: false }],
    ['put a.json b.yaml', { verb: 'put', files: ['a.json', 'b.yaml'], seal: false, refused: false }],
    ['put --seal a.json', { verb: 'put', files: ['a.json'], seal: true, refused: false }],
    ['put --refused a.json', { verb: 'put', files: ['a.json'], seal: false, refused: true }],
    ['put a.json -', { verb: 'put', files: ['a.json', '-'], seal: false, refused: false }],
    ['remove a b a', { verb: 'remove', ids: ['a', 'b'], purge: false, dryRun: false }],
    ['remove --purge --dry-run -- -a', { verb: 'remove', ids: ['-a'], purge: true, dryRun: true }],
    ['pause a b a --as ann', { verb: 'pause', ids: ['a', 'b'], as: 'ann' }],
    ['resume a', { verb: 'resume', ids: ['a'] }],
    ['export', { verb: 'export' }],
    ['accept', { verb: 'accept' }],
    ['check a.json', { verb: 'check', files: ['a.json'] }],
    ['seal a.json', { verb: 'seal', files: ['a.json'], write: false, renew: false }],
    ['seal a.json --write --renew', { verb: 'seal', files: ['a.json'], write: true, renew: true }],
  ])('%s is parsed', (line, command) => {
    expect(parse(line)).toEqual({ kind: 'configurations', command });
  });

  it.each([
    ['', 'configurations takes list, put, remove, pause, resume, export, accept, check or seal, got: nothing'],
    ['delete a', 'configurations takes list, put, remove, pause, resume, export, accept, check or seal, got: delete'],
    ['put', 'at least one FILE has to be named'],
    ['put --seal --refused a', '--seal needs valid configurations, so not --refused'],
    ['remove', 'at least one ID has to be named'],
    ['pause', 'at least one ID has to be named'],
    ['export a', "Unexpected argument 'a'. This command does not take positional arguments"],
    ['check', 'at least one FILE has to be named'],
    ['seal --write', 'at least one FILE has to be named'],
    ['accept a', "Unexpected argument 'a'. This command does not take positional arguments"],
    ['accept --as a\tb', '--as is "a\\tb": expected one line of at most 256 characters'],
    ['list --owner', "Option '--owner <value>' argument missing"],
    ['check --seal a', 'there is no option --seal'],
  ])('%j is refused with a reason', (line, problem) => {
    const command = parse(line);
    expect(command).toMatchObject({ kind: 'invalid', problem: expect.stringContaining(problem) });
  });
});
