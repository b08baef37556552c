import { expect, it } from 'vitest';
import { buildCommand, parseOptions } from './options.ts';

it('names the image after the version unless it is told a name', () => {
  expect(parseOptions([], '1.2.3')).toEqual({ tags: ['certificate-webhooks:1.2.3'], buildArguments: [] });
  const words = ['--tag', 'registry.example.com/hooks:1', '--tag', 'registry.example.com/hooks:1.2'];
  expect(parseOptions(words, '1.2.3').tags).toEqual(['registry.example.com/hooks:1', 'registry.example.com/hooks:1.2']);
});

it.each([
  [['--tags', 'a'], "Unknown option '--tags'"],
  [['--build-arg', 'BASE'], '--build-arg BASE: expected NAME=VALUE'],
  [['folder'], 'Unexpected argument'],
])('does not understand %j', (words, problem) => {
  expect(() => parseOptions(words, '1.2.3')).toThrow(problem);
});

it('lets an argument that is given win over its own, on labels too', () => {
  const options = { tags: ['a', 'b'], buildArguments: ['REVISION=mine', 'BASE=mine:1'] };
  const words = buildCommand(options, { version: '1.2.3', revision: 'abc' }).join(' ');
  expect(words).toBe(
    [
      'build --tag a --tag b',
      '--build-arg VERSION=1.2.3 --build-arg REVISION=abc --build-arg REVISION=mine --build-arg BASE=mine:1',
      '--label org.opencontainers.image.version=1.2.3 --label org.opencontainers.image.revision=abc',
      '--label org.opencontainers.image.revision=mine .',
    ].join(' '),
  );
});
