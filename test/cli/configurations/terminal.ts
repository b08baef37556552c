import { Readable } from 'node:stream';
import type { ConfigurationsContext } from '../../../src/cli/configurations/stored.ts';
import { keySet, type Jwk } from '../../support/keys.ts';

interface ContextOptions {
  readonly keys?: readonly Jwk[];
  readonly requireSealed?: boolean;
  /** The text of standard input. */
  readonly input?: string;
  readonly signal?: AbortSignal;
  /** Called after each line of standard output. */
  readonly printed?: () => void;
}

/** Builds the context of a verb, and collects what it prints. */
export function aTerminal({ keys, requireSealed = false, input = '', signal, printed }: ContextOptions = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const context: ConfigurationsContext = {
    rules: { isAllowedPort: (port) => port === 443, mostInFlight: 16 },
    keys: keys === undefined ? undefined : keySet(...keys),
    requireSealed,
    signal: signal ?? new AbortController().signal,
    input: () => Readable.from([Buffer.from(input)]),
    out: (line) => out.push(line),
    document: (text) => out.push(...text.split('\n').slice(0, -1)),
    drained: async () => printed?.(),
    err: (line) => err.push(line),
  };
  return { context, out, err };
}

/** The end of a verb that printed these lines, and no problem. */
export const printing = (...out: readonly string[]) => ({ code: 0, out, err: [] });

/** The end of a verb that refused its arguments or files for these reasons, and printed nothing else. */
export const refusing = (...err: readonly unknown[]) => ({ code: 2, out: [], err });
