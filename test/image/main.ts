import { spawn } from 'node:child_process';
import { once } from 'node:events';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../support/files/sources.ts';
import { builders, findEngine } from './engines.ts';
import { buildCommand, parseOptions, usage, type ImageOptions } from './options.ts';
import { revision } from './revision.ts';

const { version } = packageJson;
const print = (text: string): void => void process.stderr.write(`${text}\n`);

process.exitCode = await main();

/** Builds the image with any working engine. Returns the exit code: 0 built, 1 failed, 2 invalid arguments. */
async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) return 2;
  const search = await findEngine(builders);
  if (search.kind === 'none') {
    print(`The image cannot be built: ${search.reason}`);
    return 1;
  }
  const args = buildCommand(options, { version, revision: await revision() });
  print(`${search.engine} ${args.join(' ')}`);
  const building = spawn(search.engine, args, { cwd: root, stdio: 'inherit' });
  const [code] = (await once(building, 'close')) as readonly unknown[];
  if (code === 0) print(`Built ${options.tags.join(', ')}.`);
  return code === 0 ? 0 : 1;
}

function readOptions(): ImageOptions | undefined {
  try {
    return parseOptions(process.argv.slice(2), version);
  } catch (error) {
    print(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return undefined;
  }
}
