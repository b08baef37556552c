import { parseArgs } from 'node:util';
import { parseTimeArgument, type TimeArgument } from '../terminal/time-argument.ts';

/** What `redeliver` is asked to do. */
export interface RedeliverCommand {
  readonly webhookId: string;
  /** Of the records' times: from the first on, before the second. */
  readonly since: TimeArgument;
  readonly until: TimeArgument | undefined;
  /** Where an earlier run got to; what comes before is left out. */
  readonly from: RecordPlace | undefined;
  readonly dryRun: boolean;
}

/** One record of a certificate topic. */
export interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** Throws what tells a person what is wrong with the arguments. */
export function parseRedeliverCommand(args: readonly string[]): RedeliverCommand {
  const { values } = parseArgs({
    args: [...args],
    options: {
      configuration: { type: 'string' },
      since: { type: 'string' },
      until: { type: 'string' },
      from: { type: 'string' },
      'dry-run': { type: 'boolean' },
    },
  });
  const { configuration = '', since = '', until, from, 'dry-run': dryRun = false } = values;
  if (configuration === '') throw new TypeError('redeliver needs --configuration ID: whom to deliver to');
  if (since === '') throw new TypeError('redeliver needs --since T: from when on');
  return {
    webhookId: configuration,
    since: parseTimeArgument('since', since),
    until: until === undefined ? undefined : parseTimeArgument('until', until),
    from: from === undefined ? undefined : parsePlace(from),
    dryRun,
  };
}

export function placeText({ topic, partition, offset }: RecordPlace): string {
  return `${topic}/${partition}/${offset}`;
}

function parsePlace(text: string): RecordPlace {
  const [, topic, partition, offset] = /^([\w.-]+)\/(\d{1,9})\/(\d{1,15})$/.exec(text) ?? [];
  if (topic === undefined)
    throw new TypeError(
      `--from is ${JSON.stringify(text)}: expected TOPIC/PARTITION/OFFSET, as an earlier run told it`,
    );
  return { topic, partition: Number(partition), offset: Number(offset) };
}
