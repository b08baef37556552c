import { parseArgs } from 'node:util';

export interface Options {
  readonly short: boolean;
  /** Names of scenarios; all when there are none. */
  readonly only: readonly string[];
}

/** Throws on what it does not know. */
export function readOptions(parameters: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...parameters],
    options: { short: { type: 'boolean', default: false }, only: { type: 'string', multiple: true, default: [] } },
  });
  return { short: values.short, only: values.only };
}
