import { Readable } from 'node:stream';
import type { ConfigurationsContext } from '../../../src/cli/configurations/context.ts';
import { keySet, type Jwk } from '../../support/keys.ts';

interface ContextOptions {
  readonly keys?: readonly Jwk[];
  readonly requireSealed?: boolean;
  /** The text of standard input. */
  readonly input?: string;
}

/** Builds the context of a verb, and collects what it prints. */
export function aTerminal({ keys, requireSealed = false, input = '' }: ContextOptions = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const context: ConfigurationsContext = {
    isAllowedPort: (port) => port === 443,
    keys: keys === undefined ? undefined : keySet(...keys),
    requireSealed,
    signal: new AbortController().signal,
    input: () => Readable.from([Buffer.from(input)]),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  };
  return { context, out, err };
}
