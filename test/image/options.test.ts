import { expect, it } from 'vitest';
import { buildCommand, parseOptions } from './options.ts';

it('names the image after the version by default', () => {
  expect(parseOptions([], '1.2.3')).toEqual({ tags: ['certificate-webhooks:1.2.3'], buildArguments: [] });
  const args = ['--tag', 'registry.example.com/hooks:1', '--tag', 'registry.example.com/hooks:1.2'];
  expect(parseOptions(args, '1.2.3').tags).toEqual(['registry.example.com/hooks:1', 'registry.example.com/hooks:1.2']);
});

it.each([
  [['--tags', 'a'], "Unknown option '--tags'"],
  [['--build-arg', 'BASE'], '--build-arg BASE: expected NAME=VALUE'],
  [['folder'], 'Unexpected argument'],
])('refuses %j', (args, problem) => {
  expect(() => parseOptions(args, '1.2.3')).toThrow(problem);
});

it('overrides its own arguments and labels', () => {
  const options = { tags: ['a', 'b'], buildArguments: ['REVISION=mine', 'BASE=mine:1'] };
  const args = buildCommand(options, { version: '1.2.3', revision: 'abc' }).join(' ');
  expect(args).toBe(
    [
      'build --tag a --tag b',
      '--build-arg VERSION=1.2.3 --build-arg REVISION=abc --build-arg REVISION=mine --build-arg BASE=mine:1',
      '--label org.opencontainers.image.version=1.2.3 --label org.opencontainers.image.revision=abc',
      '--label org.opencontainers.image.revision=mine .',
    ].join(' '),
  );
});
