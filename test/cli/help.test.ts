import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../src/cli/command.ts';
import { readPages } from '../docs/support/page.ts';
import { commandUsages, usagesOf, helpText } from '../../src/cli/command-usages.ts';

const names = Object.keys(commandUsages);

describe('the help', () => {
  it.each(names)('of %s names its options and operands, wherever --help stands', (name) => {
    const [[, { does, options, operands }] = expect.fail()] = usagesOf(name);
    const words = name.split(' ');
    for (const args of [['--help'], ['-h'], ['--unknown', '--help']])
      expect(parseCommand([...words, ...args])).toEqual({ kind: 'help', name });
    const text = helpText(name);
    expect(text).toContain(`Usage: certificate-webhooks ${name}`);
    expect(text.toLowerCase()).toContain(does.toLowerCase());
    for (const option of Object.keys(options)) expect(text).toContain(`--${option}`);
    expect(text).toContain(operands === 'none' ? name : operands);
  });

  it.each(['configurations', 'dead-letters'])('of %s names its verbs, and no other command', (name) => {
    expect(parseCommand([name, '--help'])).toEqual({ kind: 'help', name });
    for (const one of names) expect(helpText(name).includes(`  ${one} `)).toBe(one.startsWith(name));
  });

  it.each(names)('of %s names the heading of a page', (name) => {
    const [, path = '', anchor] = /\nMore: (docs\/\S+\.md)#(\S+)\. /.exec(helpText(name)) ?? [];
    expect(
      readPages()
        .find((page) => page.path === path)
        ?.headings.map((heading) => heading.anchor),
    ).toContain(anchor);
  });

  it('of the program names --version', () => {
    expect(helpText('')).toContain('--version');
    expect(parseCommand(['--version'])).toEqual({ kind: 'version' });
  });

  it.each([
    [['topcs'], 'there is no command topcs; did you mean topics?'],
    [['nonsense'], 'there is no command nonsense'],
    [['topics', '--craete'], 'there is no option --craete; did you mean --create?'],
    [['topics', '-x'], 'there is no option -x'],
    [['dead-letters', 'reply'], 'dead-letters takes list or replay, got: reply; did you mean replay?'],
    [['completion', 'fissh'], 'there is no completion for fissh; did you mean fish?'],
  ])('stands below the nearest word: %j', (words, problem) => {
    expect(parseCommand(words)).toMatchObject({ kind: 'invalid', problem });
  });

  it('of a command stands below what is wrong with its arguments', () => {
    const wrong = parseCommand(['dead-letters', 'list', '--limt', '5']);
    expect(wrong).toMatchObject({ kind: 'invalid', name: 'dead-letters list' });
  });
});
