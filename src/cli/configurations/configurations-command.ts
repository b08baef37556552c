import { parseArguments, parseVerb } from '../usage/parse-arguments.ts';

export type ConfigurationsCommand =
  /** `owner` is undefined for all owners. `json` prints one JSON object per line instead of a table. */
  | { readonly verb: 'list'; readonly owner: string | undefined; readonly json: boolean }
  /** `files` are paths, and `-` for standard input. `seal` seals credentials first, `refused` takes refused ones too. */
  | { readonly verb: 'put'; readonly files: readonly string[]; readonly seal: boolean; readonly refused: boolean }
  | { readonly verb: 'remove'; readonly ids: readonly string[] }
  | { readonly verb: 'pause' | 'resume'; readonly ids: readonly string[] }
  | { readonly verb: 'export' }
  | { readonly verb: 'accept' }
  | { readonly verb: 'check'; readonly files: readonly string[] }
  /** `write` replaces the files, else the sealed text is printed. `renew` also seals again what is sealed already. */
  | { readonly verb: 'seal'; readonly files: readonly string[]; readonly write: boolean; readonly renew: boolean };

export type CommandOf<Verb extends string> = Extract<ConfigurationsCommand, { readonly verb: Verb }>;

/** Parses the arguments. The first one is the verb. Throws a `TypeError` that says which argument is wrong. */
export function parseConfigurationsCommand([verb = '', ...args]: readonly string[]): ConfigurationsCommand {
  const name = parseVerb('configurations', verb);
  const { has, value, operands } = parseArguments(name, args);
  switch (name) {
    case 'configurations list':
      return { verb: 'list', owner: value('owner'), json: has('json') };
    case 'configurations put':
      if (has('seal') && has('refused')) throw new TypeError('--seal needs valid configurations, so not --refused');
      return { verb: 'put', files: operands, seal: has('seal'), refused: has('refused') };
    case 'configurations remove':
      return { verb: 'remove', ids: [...new Set(operands)] };
    case 'configurations pause':
      return { verb: 'pause', ids: [...new Set(operands)] };
    case 'configurations resume':
      return { verb: 'resume', ids: [...new Set(operands)] };
    case 'configurations export':
      return { verb: 'export' };
    case 'configurations accept':
      return { verb: 'accept' };
    case 'configurations check':
      return { verb: 'check', files: operands };
    case 'configurations seal':
      return { verb: 'seal', files: operands, write: has('write'), renew: has('renew') };
  }
}
