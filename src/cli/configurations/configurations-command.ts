import { parseArgs } from 'node:util';

/** The parsed arguments of `configurations`. */
export type ConfigurationsCommand =
  | { readonly verb: 'list'; readonly owner: string | undefined; readonly json: boolean }
  | { readonly verb: 'put'; readonly files: readonly string[]; readonly seal: boolean }
  | { readonly verb: 'remove'; readonly ids: readonly string[] }
  | { readonly verb: 'accept' }
  | { readonly verb: 'check'; readonly files: readonly string[] }
  | { readonly verb: 'seal'; readonly files: readonly string[]; readonly write: boolean; readonly renew: boolean };

/** Parses the arguments. The first one is the verb. Throws a `TypeError` that says which argument is wrong. */
export function parseConfigurationsCommand([verb = '', ...args]: readonly string[]): ConfigurationsCommand {
  switch (verb) {
    case 'list': {
      const { values } = parse(args, { owner: { type: 'string' }, json: { type: 'boolean' } }, 'none');
      const { owner, json } = values;
      return { verb, owner: typeof owner === 'string' ? owner : undefined, json: json === true };
    }
    case 'put': {
      const { values, positionals } = parse(args, { seal: { type: 'boolean' } }, 'FILE');
      return { verb, files: positionals, seal: values['seal'] === true };
    }
    case 'remove':
      return { verb, ids: [...new Set(parse(args, {}, 'ID').positionals)] };
    case 'accept':
      parse(args, {}, 'none');
      return { verb };
    case 'check':
      return { verb, files: parse(args, {}, 'FILE').positionals };
    case 'seal': {
      const { values, positionals } = parse(args, { write: { type: 'boolean' }, renew: { type: 'boolean' } }, 'FILE');
      return { verb, files: positionals, write: values['write'] === true, renew: values['renew'] === true };
    }
    default:
      throw new TypeError(`configurations takes list, put, remove, accept, check or seal, got: ${verb || 'nothing'}`);
  }
}

type Options = Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>;

interface Parsed {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}

function parse(args: readonly string[], options: Options, wanted: 'none' | 'FILE' | 'ID'): Parsed {
  const parsed = parseArgs({ args: [...args], options, allowPositionals: wanted !== 'none' });
  if (wanted !== 'none' && parsed.positionals.length === 0)
    throw new TypeError(`at least one ${wanted} has to be named`);
  return parsed;
}
