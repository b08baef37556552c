import { readSources } from '../../support/files/sources.ts';

/** An event that the service logs, found in its code. */
interface LogEvent {
  readonly event: string;
  /** Undefined if the code chooses it at run time. */
  readonly level: string | undefined;
}

/** All places in the code that log an event. */
export const logEvents: readonly LogEvent[] = readSources('src').flatMap(({ text }) =>
  [...text.matchAll(/\bevent: '(?<event>[a-z_]+\.[a-z_]+)'/g)].map(({ index, groups }) => ({
    event: groups?.['event'] ?? '',
    level: levelOf(text.slice(0, index)),
  })),
);

/** Returns the level of the logger call around the event, which is the last call before it. */
function levelOf(before: string): string | undefined {
  const calls = before.matchAll(/\blogger\.(?<level>\w+)\(|\bwarnSampled\(|\blogger\[|\bconst line = /g);
  const last = [...calls].at(-1);
  if (last?.[0] === 'warnSampled(') return 'warn';
  return last?.groups?.['level'];
}
