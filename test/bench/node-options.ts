import { readText } from '../support/sources.ts';

/** The space for new objects that V8 chooses in a container of 1 GiB, as the chart has it; without a limit it is 64 MiB. */
const asInContainer = '--max-semi-space-size=16';

/** What Node.js is given for what is measured. */
export function optionsInContainer(): readonly string[] {
  return [...optionsOfImage(), asInContainer];
}

/** What Node.js is given in the image. */
export function optionsOfImage(): readonly string[] {
  const options = /\bNODE_OPTIONS="(?<options>[^"]+)"/.exec(readText('Dockerfile'))?.groups?.['options'];
  if (options === undefined) throw new Error('The Dockerfile gives no NODE_OPTIONS in quotes.');
  return options.split(' ');
}
