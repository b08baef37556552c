import type { ConfigurationsContext } from '../../../src/cli/configurations/context.ts';
import { keySet, type Jwk } from '../../support/keys.ts';

interface ContextOptions {
  readonly keys?: readonly Jwk[];
  readonly requireSealed?: boolean;
}

/** Builds the context of a verb, and collects what it prints. */
export function aTerminal({ keys, requireSealed = false }: ContextOptions = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const context: ConfigurationsContext = {
    isAllowedPort: (port) => port === 443,
    keys: keys === undefined ? undefined : keySet(...keys),
    requireSealed,
    signal: new AbortController().signal,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  };
  return { context, out, err };
}
