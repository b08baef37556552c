import { readText } from '../support/sources.ts';

/** What Node.js is given in the image. */
export function optionsOfImage(): readonly string[] {
  const options = /\bNODE_OPTIONS="(?<options>[^"]+)"/.exec(readText('Dockerfile'))?.groups?.['options'];
  if (options === undefined) throw new Error('The Dockerfile gives no NODE_OPTIONS in quotes.');
  return options.split(' ');
}
