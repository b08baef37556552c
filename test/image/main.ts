import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../support/files/sources.ts';
import { builders, findEngine } from './engines.ts';
import { revision } from './revision.ts';

interface ImageOptions {
  /** The tags of the image, at least one. */
  readonly tags: readonly string[];
  /** Arguments `NAME=VALUE` that override the default ones. */
  readonly buildArguments: readonly string[];
}

const usage = `Usage: npm run image -- [--tag NAME]... [--build-arg NAME=VALUE]...

  --tag NAME              the name of the image; certificate-webhooks:VERSION if left out
  --build-arg NAME=VALUE  an argument of the Dockerfile: BASE, SOURCE (a URL), LICENSES, REVISION or VERSION`;

/** Parses the arguments. Throws if they are invalid. */
function parseOptions(args: readonly string[], version: string): ImageOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { tag: { type: 'string', multiple: true }, 'build-arg': { type: 'string', multiple: true } },
  });
  const { tag: tags = [`certificate-webhooks:${version}`], 'build-arg': buildArguments = [] } = values;
  const unclear = buildArguments.find((text) => !/^[A-Z]+=/.test(text));
  if (unclear !== undefined) throw new Error(`--build-arg ${unclear}: expected NAME=VALUE`);
  return { tags, buildArguments };
}

/** Returns the arguments of the engine, which are the same for docker, podman and buildah. */
function buildCommand({ tags, buildArguments }: ImageOptions, commit: string): readonly string[] {
  const all = [`VERSION=${version}`, `REVISION=${commit}`, ...buildArguments];
  return [
    'build',
    ...tags.flatMap((tag) => ['--tag', tag]),
    // For a repeated argument or label, the last value is used.
    ...all.flatMap((text) => ['--build-arg', text]),
    ...all.flatMap(labelOf),
    '.',
  ];
}

/** Returns a label for the argument. Without it, buildah reuses the labels of an earlier image from its cache. */
function labelOf(buildArgument: string): readonly string[] {
  const { name, value } = /^(?<name>VERSION|REVISION|SOURCE|LICENSES)=(?<value>.*)$/s.exec(buildArgument)?.groups ?? {};
  return name === undefined ? [] : ['--label', `org.opencontainers.image.${name.toLowerCase()}=${value}`];
}

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
  const args = buildCommand(options, await revision());
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
