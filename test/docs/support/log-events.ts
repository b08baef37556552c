import { readSources } from '../../support/files/sources.ts';

/** A log line of the service, found in its code. */
export interface LogEvent {
  readonly event: string;
  /** Undefined where the code decides it each time. */
  readonly level: string | undefined;
}

/** Each place in the code that writes one. */
export const logEvents: readonly LogEvent[] = readSources('src').flatMap(({ text }) =>
  [...text.matchAll(/\bevent: '(?<event>[a-z_]+\.[a-z_]+)'/g)].map(({ index, groups }) => ({
    event: groups?.['event'] ?? '',
    level: levelOf(text.slice(0, index)),
  })),
);

/** By the call that the line is an argument of, which is the last one before it. */
function levelOf(before: string): string | undefined {
  const calls = before.matchAll(/\blogger\.(?<level>\w+)\(|\bwarnOnce\(|\blogger\[|\bconst line = /g);
  const last = [...calls].at(-1);
  if (last?.[0] === 'warnOnce(') return 'warn';
  return last?.groups?.['level'];
}
