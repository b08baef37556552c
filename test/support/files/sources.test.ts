import { expect, it } from 'vitest';
import { parseSource, readSources } from './sources.ts';

it('lists the imports of a file, and which of them are of types only', () => {
  const text = [
    "import { readFile } from 'node:fs/promises';",
    "import type {\n  Clock,\n} from '../lib/clock.ts';",
    "export { plan } from './plan.ts';",
    "import '@scope/name/sub/path';",
    "const later = await import('undici');",
  ].join('\n');
  expect(parseSource('src/deliveries/attempts.ts', text).imports).toEqual([
    { target: 'node:fs', isTypeOnly: false },
    { target: 'src/lib/clock.ts', isTypeOnly: true },
    { target: 'src/deliveries/plan.ts', isTypeOnly: false },
    { target: '@scope/name', isTypeOnly: false },
    { target: 'undici', isTypeOnly: false },
  ]);
});

it('separates code from comments and quotes', () => {
  const text = "/** Never any. */\nconst url = 'https://any.example'; // any\nconst one = `any`;\n";
  expect(parseSource('src/a.ts', text).code.trim()).toBe("const url = ''; \nconst one = '';");
});

it('finds this file', () => {
  expect(readSources('test').map(({ path }) => path)).toContain('test/support/files/sources.test.ts');
});
