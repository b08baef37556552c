import { readText } from '../support/files/sources.ts';

/** The semi-space that V8 chooses under the chart's memory limit of 1 GiB. Without a limit it chooses 64 MiB. */
const semiSpaceInContainer = '--max-semi-space-size=16';

/** Returns the options that Node.js has in a container of the chart. */
export function optionsInContainer(): readonly string[] {
  const { inEnvironment, onCommandLine } = optionsOfImage();
  return [...inEnvironment, ...onCommandLine, semiSpaceInContainer];
}

/** Reads from the Dockerfile which options Node.js has in the image. */
function optionsOfImage(): {
  readonly inEnvironment: readonly string[];
  readonly onCommandLine: readonly string[];
} {
  const dockerfile = readText('Dockerfile');
  const environment = /\bNODE_OPTIONS="(?<options>[^"]+)"/.exec(dockerfile)?.groups?.['options'];
  if (environment === undefined) throw new Error('The Dockerfile sets no quoted NODE_OPTIONS.');
  const entrypoint = /^ENTRYPOINT \["[^"]+\/node"(?<options>(?:, "--[^"]+")*), "[^"]+\.ts"\]$/m.exec(dockerfile);
  if (entrypoint === null) throw new Error('The ENTRYPOINT of the Dockerfile does not run Node.js with a program.');
  const onCommandLine = entrypoint.groups?.['options']?.match(/--[^"]+/g) ?? [];
  return { inEnvironment: environment.split(' '), onCommandLine };
}
