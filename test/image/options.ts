import { parseArgs } from 'node:util';

export interface ImageOptions {
  /** At least one. */
  readonly tags: readonly string[];
  /** `NAME=VALUE`, over what the program says by itself. */
  readonly buildArguments: readonly string[];
}

export const usage = `Usage: npm run image -- [--tag NAME]... [--build-arg NAME=VALUE]...

  --tag NAME              what to call the image; certificate-webhooks:VERSION if left out
  --build-arg NAME=VALUE  an argument of the Dockerfile: BASE, SOURCE (a URL), LICENSES, REVISION or VERSION`;

/** Throws when the words can't be understood. */
export function parseOptions(words: readonly string[], version: string): ImageOptions {
  const { values } = parseArgs({
    args: [...words],
    options: { tag: { type: 'string', multiple: true }, 'build-arg': { type: 'string', multiple: true } },
  });
  const { tag: tags = [`certificate-webhooks:${version}`], 'build-arg': buildArguments = [] } = values;
  const unclear = buildArguments.find((text) => !/^[A-Z]+=/.test(text));
  if (unclear !== undefined) throw new Error(`--build-arg ${unclear}: expected NAME=VALUE`);
  return { tags, buildArguments };
}

/** What the engine is told; docker, podman and buildah understand the same words. The folder is the repository. */
export function buildCommand(
  { tags, buildArguments }: ImageOptions,
  { version, revision }: { readonly version: string; readonly revision: string },
): readonly string[] {
  const all = [`VERSION=${version}`, `REVISION=${revision}`, ...buildArguments];
  return [
    'build',
    ...tags.flatMap((tag) => ['--tag', tag]),
    // Of an argument, or a label, given twice the last one counts.
    ...all.flatMap((text) => ['--build-arg', text]),
    ...all.flatMap(labelOf),
    '.',
  ];
}

/** Where only labels differ, buildah takes those of an image it has built before, whatever its arguments are now. */
function labelOf(buildArgument: string): readonly string[] {
  const { name, value } = /^(?<name>VERSION|REVISION|SOURCE|LICENSES)=(?<value>.*)$/s.exec(buildArgument)?.groups ?? {};
  return name === undefined ? [] : ['--label', `org.opencontainers.image.${name.toLowerCase()}=${value}`];
}
