import { readText } from '../support/sources.ts';

/** The space for new objects that V8 chooses in a container of 1 GiB, as the chart has it; without a limit it is 64 MiB. */
const asInContainer = '--max-semi-space-size=16';

/** What Node.js is given for what is measured. */
export function optionsInContainer(): readonly string[] {
  const { environment, commandLine } = optionsOfImage();
  return [...environment, ...commandLine, asInContainer];
}

/** What Node.js is given in the image, by `NODE_OPTIONS` and by its command line. */
export interface ImageOptions {
  readonly environment: readonly string[];
  readonly commandLine: readonly string[];
}

export function optionsOfImage(): ImageOptions {
  const dockerfile = readText('Dockerfile');
  const environment = /\bNODE_OPTIONS="(?<options>[^"]+)"/.exec(dockerfile)?.groups?.['options'];
  if (environment === undefined) throw new Error('The Dockerfile gives no NODE_OPTIONS in quotes.');
  const entrypoint = /^ENTRYPOINT (?<words>\[.+\])$/m.exec(dockerfile)?.groups?.['words'];
  if (entrypoint === undefined) throw new Error('The Dockerfile has no ENTRYPOINT of words in brackets.');
  const words = JSON.parse(entrypoint) as readonly string[];
  return { environment: environment.split(' '), commandLine: words.slice(1, -1) };
}
