import { logLevel, type LogEntry } from 'kafkajs';
import type { KafkaLogEntry } from '../client/kafka-options.ts';
import { clientClosed } from './broker-sockets.ts';

/** Converts a log entry of kafkajs into one of ours. Returns undefined for an entry that is not worth a line. */
export function clientLogEntry({ level, namespace, log }: LogEntry): KafkaLogEntry | undefined {
  if (ignoredMessages.test(log.message)) return undefined;
  const details = detailNames.map((name): [string, unknown] => [name, log[name]]);
  return {
    // kafkajs retries most of what it logs as an error.
    level: level === logLevel.INFO || level === logLevel.DEBUG ? 'debug' : 'warn',
    message: `${namespace}: ${log.message}`,
    details: Object.fromEntries(
      details.filter(([, detail]) => typeof detail === 'string' || typeof detail === 'number'),
    ),
  };
}

/** The only details that may be logged. kafkajs adds whole errors, assignments and stacks, and could add anything. */
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

/**
 * A consumer with full limits pauses and resumes all the time. A disposed client closes its sockets itself. A response
 * without match is late: its request was abandoned, or its timeout was reported.
 */
const ignoredMessages = new RegExp(`^(?:Pausing|Resuming) fetching|^Response without match|${clientClosed}`, 'v');
