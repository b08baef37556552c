import { expect, it } from 'vitest';
import { parseHosts } from '../../../src/http/dns/system-file.ts';

it('reads names and their addresses, and skips other lines', () => {
  const hosts = parseHosts(
    [
      '# comment',
      '127.0.0.1 localhost',
      '::1\tlocalhost   ip6-localhost # trailing comment',
      '  10.0.0.1  Hooks.Example.test hooks',
      '10.0.0.2 hooks\r',
      '10.0.0.3',
      'not-an-address hooks',
      '#10.0.0.4 hooks',
      '',
    ].join('\n'),
  );
  expect([...hosts]).toEqual([
    ['localhost', ['127.0.0.1', '::1']],
    ['ip6-localhost', ['::1']],
    ['hooks.example.test', ['10.0.0.1']],
    ['hooks', ['10.0.0.1', '10.0.0.2']],
  ]);
});
