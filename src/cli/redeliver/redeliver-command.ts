import type { SourceRecord } from '../../certificates/record.ts';
import { parseTimeArgument, type TimeArgument } from '../terminal/time-argument.ts';
import { parseArguments } from '../usage/parse-arguments.ts';

export interface RedeliverCommand {
  readonly webhookId: string;
  readonly since: TimeArgument;
  /** The time that every record timestamp has to be before. */
  readonly until: TimeArgument | undefined;
  /** The position that an earlier run reached. Records before it are skipped. */
  readonly from: RecordPosition | undefined;
  readonly dryRun: boolean;
}

export type RecordPosition = Pick<SourceRecord, 'topic' | 'partition' | 'offset'>;

/** Parses the arguments. Throws a `TypeError` that says which argument is wrong. */
export function parseRedeliverCommand(args: readonly string[]): RedeliverCommand {
  const { value, has } = parseArguments('redeliver', args);
  const [configuration, since, until, from] = ['configuration', 'since', 'until', 'from'].map(value);
  if (configuration === undefined) throw new TypeError('redeliver needs --configuration ID: whom to deliver to');
  if (since === undefined) throw new TypeError('redeliver needs --since TIME: from when on');
  return {
    webhookId: configuration,
    since: parseTimeArgument('since', since),
    until: until === undefined ? undefined : parseTimeArgument('until', until),
    from: from === undefined ? undefined : parsePosition(from),
    dryRun: has('dry-run'),
  };
}

export function positionText({ topic, partition, offset }: RecordPosition): string {
  return `${topic}/${partition}/${offset}`;
}

function parsePosition(text: string): RecordPosition {
  const [, topic, partition, offset] = /^([\w.-]+)\/(\d{1,9})\/(\d{1,15})$/.exec(text) ?? [];
  if (topic === undefined)
    throw new TypeError(
      `--from is ${JSON.stringify(text)}: expected TOPIC/PARTITION/OFFSET, as an earlier run printed it`,
    );
  return { topic, partition: Number(partition), offset: Number(offset) };
}
