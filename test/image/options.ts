import { parseArgs } from 'node:util';

export interface ImageOptions {
  /** The tags of the image, at least one. */
  readonly tags: readonly string[];
  /** Arguments `NAME=VALUE` that override the default ones. */
  readonly buildArguments: readonly string[];
}

export const usage = `Usage: npm run image -- [--tag NAME]... [--build-arg NAME=VALUE]...

  --tag NAME              the name of the image; certificate-webhooks:VERSION if left out
  --build-arg NAME=VALUE  an argument of the Dockerfile: BASE, SOURCE (a URL), LICENSES, REVISION or VERSION`;

/** Parses the arguments. Throws if they are invalid. */
export function parseOptions(args: readonly string[], version: string): ImageOptions {
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
export function buildCommand(
  { tags, buildArguments }: ImageOptions,
  { version, revision }: { readonly version: string; readonly revision: string },
): readonly string[] {
  const all = [`VERSION=${version}`, `REVISION=${revision}`, ...buildArguments];
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
