import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../files/sources.ts';
import { writeTemporaryFiles } from '../files/temporary-files.ts';
import type { Manifest } from './kinds.ts';

const run = promisify(execFile);
const folder = join(root, 'test', 'support', 'kubernetes');
const compiler = join(root, 'node_modules', '.bin', 'tsc');
const flags = [
  '--ignoreConfig',
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--allowImportingTsExtensions',
  '--pretty',
  'false',
];
const platform = ['--module', 'nodenext', '--target', 'esnext', '--types', '*'];

/**
 * Checks objects against the types of their kinds, including unknown fields. Each object is written as a TypeScript literal
 * and compiled. Returns problems as `NAME: compiler message`.
 */
export async function typeProblems(manifests: ReadonlyMap<string, Manifest>): Promise<readonly string[]> {
  const literals = [...manifests].map(
    ([, manifest], index) => `export const m${index}: Kinds['${manifest.kind}'] = ${JSON.stringify(manifest)};`,
  );
  const program = [`import type { Kinds } from '${join(folder, 'kinds.ts')}';`, ...literals].join('\n');
  await using files = await writeTemporaryFiles({ 'manifests.ts': program });
  const names = [...manifests.keys()];
  return (await compile(files.path('manifests.ts'))).map((line) => {
    const [, row, text] = /manifests\.ts\((\d+),\d+\): (.*)$/.exec(line) ?? [];
    return row === undefined ? line : `${names[Number(row) - 2] ?? 'the kinds'}: ${text ?? ''}`;
  });
}

async function compile(file: string): Promise<readonly string[]> {
  try {
    await run(compiler, [...flags, ...platform, file], { maxBuffer: 64 * 1024 ** 2 });
    return [];
  } catch (error) {
    const { stdout = '' } = error as { readonly stdout?: string };
    if (stdout === '') throw error;
    return stdout.split('\n').filter((line) => line !== '' && !line.startsWith(' '));
  }
}
