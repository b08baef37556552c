import { readText } from '../support/files/sources.ts';

/** The space for new objects that V8 chooses in a container of 1 GiB, as the chart has it; without a limit it is 64 MiB. */
const asInContainer = '--max-semi-space-size=16';

/** What Node.js is given for what is measured. */
export function optionsInContainer(): readonly string[] {
  const { inEnvironment, onCommandLine } = optionsOfImage();
  return [...inEnvironment, ...onCommandLine, asInContainer];
}

/** What Node.js is given in the image. */
export function optionsOfImage(): {
  readonly inEnvironment: readonly string[];
  readonly onCommandLine: readonly string[];
} {
  const dockerfile = readText('Dockerfile');
  const environment = /\bNODE_OPTIONS="(?<options>[^"]+)"/.exec(dockerfile)?.groups?.['options'];
  if (environment === undefined) throw new Error('The Dockerfile gives no NODE_OPTIONS in quotes.');
  const entrypoint = /^ENTRYPOINT \["[^"]+\/node"(?<options>(?:, "--[^"]+")*), "[^"]+\.ts"\]$/m.exec(dockerfile);
  if (entrypoint === null)
    throw new Error('The ENTRYPOINT of the Dockerfile is not Node.js, its options and a program.');
  const onCommandLine = entrypoint.groups?.['options']?.match(/--[^"]+/g) ?? [];
  return { inEnvironment: environment.split(' '), onCommandLine };
}
