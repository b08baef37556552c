import { ReplayedOffsets } from '../../kafka/records/replayed-offsets.ts';
import { tierTopicsIn } from '../../kafka/topics/wanted-topics.ts';
import { systemClock } from '../../lib/clock.ts';
import { wantedTopics } from '../../service/configured-topics.ts';
import type { DeadLettersCommand } from './dead-letters-command.ts';
import { listDeadLetters } from './list-dead-letters.ts';
import { ReplayCounts } from './replay-counts.ts';
import { replay } from './replay.ts';
import { scanDeadLetters } from './dead-letter-scan.ts';
import { scanFirstTier } from './first-tier-scan.ts';
import { isEmptySpan } from '../terminal/time-argument.ts';
import { firstTierTopic, withKafka, type KafkaTools, type WatchedTerminal } from '../with-kafka.ts';
import { withSettings } from '../with-settings.ts';

type ReplayCommand = Extract<DeadLettersCommand, { readonly verb: 'replay' }>;

/** Runs a verb of `dead-letters` with the settings of the environment. */
export async function runDeadLetters(command: DeadLettersCommand, terminal: WatchedTerminal): Promise<0 | 1 | 2> {
  const { since, until } = command.filter;
  if (isEmptySpan(since, until, systemClock.now())) {
    terminal.err('error: --until has to be later than --since');
    return 2;
  }
  return withSettings(terminal.err, async (settings): Promise<0 | 1 | 2> => {
    const { deadLetters, configurations = deadLetters } = wantedTopics(settings);
    switch (command.verb) {
      case 'list':
        return withKafka({ settings, terminal, topics: [deadLetters] }, async (tools): Promise<0> => {
          const { filter, json } = command;
          await listDeadLetters(await tools.scan(deadLetters), {
            filter,
            json,
            screen: tools.screen,
            out: terminal.out,
          });
          return 0;
        });
      case 'replay': {
        const topics = [deadLetters, firstTierTopic(settings), configurations];
        return withKafka({ settings, terminal, topics }, async (tools) => runReplay(command, tools, terminal));
      }
    }
  });
}

async function runReplay(command: ReplayCommand, tools: KafkaTools, { out, err, signal }: WatchedTerminal): Promise<0> {
  const { filter, again, dryRun } = command;
  const { certificates, tierPrefix, deadLetters } = wantedTopics(tools.settings);
  const scan = await tools.scan(deadLetters);
  const deadLetterScan = await scanDeadLetters(scan, filter, tools.screen);
  const counts = new ReplayCounts(deadLetterScan.selected);
  try {
    await replay(scan, {
      deadLetterScan,
      inFirstTier:
        again || deadLetterScan.selected === 0
          ? new ReplayedOffsets()
          : await findInFirstTier(deadLetterScan.unmarkedSince, tools),
      again,
      writer: dryRun ? undefined : tools.writer(),
      planner: tools.planner(),
      isCertificateTopic: (topic) => certificates.includes(topic),
      isTier: (topic) => tierTopicsIn([topic], tierPrefix).length > 0,
      counts,
      screen: tools.screen,
      clock: systemClock,
      signal,
    });
  } finally {
    for (const line of counts.lines(dryRun)) out(line);
    if (signal.aborted) err('run it again to go on');
  }
  return 0;
}

async function findInFirstTier(since: number | undefined, tools: KafkaTools): Promise<ReplayedOffsets> {
  return scanFirstTier(await tools.scan(firstTierTopic(tools.settings)), since, tools.screen);
}
