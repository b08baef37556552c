import { logLevel, type LogEntry } from 'kafkajs';
import { clientClosed } from './broker-sockets.ts';

export interface KafkaLogEntry {
  readonly level: 'debug' | 'warn';
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Turns what kafkajs says into what we log of it; undefined is for what is not worth a line. */
export function clientLogEntry({ level, namespace, log: said }: LogEntry): KafkaLogEntry | undefined {
  if (ignoredMessages.test(said.message)) return undefined;
  const details = detailNames.map((name): [string, unknown] => [name, said[name]]);
  return {
    // Most of what kafkajs calls an error it tries again itself.
    level: level === logLevel.INFO || level === logLevel.DEBUG ? 'debug' : 'warn',
    message: `${namespace}: ${said.message}`,
    details: Object.fromEntries(
      details.filter(([, detail]) => typeof detail === 'string' || typeof detail === 'number'),
    ),
  };
}

/** What may stand in a log line. kafkajs adds whole errors, assignments and stacks, and could add anything. */
const detailNames = [
  'broker',
  'groupId',
  'memberId',
  'topic',
  'partition',
  'error',
  'retryCount',
  'retryTime',
] as const;

/** Pausing is what a full intake does all day, and a client that is disposed of closes its connections itself. */
const ignoredMessages = new RegExp(`^(?:Pausing|Resuming) fetching|${clientClosed}`, 'v');
