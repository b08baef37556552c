import type { TopicScan } from '../../kafka/reader/topic-scan.ts';
import { systemClock } from '../../lib/clock.ts';
import { wantedTopics } from '../../service/configured-topics.ts';
import type { Webhook } from '../../webhooks/webhook.ts';
import { isEmptySpan, resolveTimeArgument } from '../terminal/time-argument.ts';
import type { Planner } from '../planner.ts';
import { positionText, type RecordPosition, type RedeliverCommand } from './redeliver-command.ts';
import { isPartOf, redeliver, RedeliverCounts } from './redeliver.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { firstTierTopic, withKafka, type KafkaTools } from '../with-kafka.ts';
import { withSettings, type ExitCode } from '../with-settings.ts';

export async function runRedeliver(command: RedeliverCommand, terminal: Terminal): Promise<ExitCode> {
  const { err } = terminal;
  // Fixed here, so that an interrupted run prints arguments for exactly its own time range.
  const now = systemClock.now();
  if (isEmptySpan(command.since, command.until, now)) {
    err('error: --until has to be later than --since');
    return 2;
  }
  return withSettings(err, async (settings) => {
    const { certificates, configurations } = wantedTopics(settings);
    const topics = [
      ...certificates,
      firstTierTopic(settings),
      ...(configurations === undefined ? [] : [configurations]),
    ];
    return withKafka({ settings, topics, terminal }, async (tools): Promise<0 | 2> => {
      const planner = await tools.planner();
      const webhook = (await planner.webhooks()).byId(command.webhookId);
      const scans = await Promise.all(certificates.map(async (topic) => tools.scan(topic)));
      const problem = problemOf(webhook, command) ?? positionProblem(command.from, scans);
      if (problem !== undefined) err(`error: ${problem}`);
      if (webhook === undefined || problem !== undefined) return 2;
      return redeliverAndReport(scans, { command, webhook, planner, now, tools, terminal });
    });
  });
}

function problemOf(webhook: Webhook | undefined, { webhookId }: RedeliverCommand): string | undefined {
  if (webhook === undefined) return `there is no configuration ${webhookId}`;
  switch (webhook.state) {
    case 'active':
      return undefined;
    case 'paused':
      return `the configuration ${webhookId} is paused: its deliveries would wait until they are too old`;
    case 'disabled':
      return `the configuration ${webhookId} is not enabled: nothing would be delivered`;
    case 'invalid':
      return `the configuration ${webhookId} is refused: configurations list says why`;
  }
}

function positionProblem(from: RecordPosition | undefined, scans: readonly TopicScan[]): string | undefined {
  if (from === undefined || scans.some((scan) => isPartOf(scan, from))) return undefined;
  return `--from is ${positionText(from)}: there is no such partition among CERTIFICATE_TOPICS`;
}

interface RedeliverRun {
  readonly command: RedeliverCommand;
  readonly webhook: Webhook;
  readonly planner: Planner;
  readonly now: number;
  readonly tools: KafkaTools;
  readonly terminal: Terminal;
}

async function redeliverAndReport(scans: readonly TopicScan[], run: RedeliverRun): Promise<0> {
  const { command, webhook, planner, now, tools, terminal } = run;
  const { from, dryRun } = command;
  const { out, err, signal } = terminal;
  const since = resolveTimeArgument(command.since, now);
  const until = command.until === undefined ? Number.POSITIVE_INFINITY : resolveTimeArgument(command.until, now);
  const counts = new RedeliverCounts();
  let isDone = false;
  try {
    const writer = dryRun ? undefined : await tools.writer();
    await redeliver(scans, { webhook, since, until, from, planner, writer, counts, screen: tools.screen, signal });
    isDone = true;
  } finally {
    for (const line of counts.lines(dryRun)) out(line);
    const next = counts.next ?? from;
    const end = command.until === undefined ? '' : ` --until ${new Date(until).toISOString()}`;
    if (!isDone && next !== undefined)
      err(`to go on: --since ${new Date(since).toISOString()}${end} --from ${positionText(next)}`);
  }
  return 0;
}
