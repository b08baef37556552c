import type { ReplayWriter } from '../../kafka/producer/replay-writer.ts';
import type { ScannedTopic } from '../../kafka/reader/topic-scan.ts';
import { ReplayedOffsets } from '../../kafka/records/replayed-offsets.ts';
import { tierTopicsIn } from '../../kafka/topics/wanted-topics.ts';
import { wantedTopics } from '../../service/configured-topics.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { firstTierTopic, type KafkaTools } from '../with-kafka.ts';
import { scanDeadLetters, type DeadLetterScan } from './dead-letter-scan.ts';
import type { DeadLettersCommand } from './dead-letters-command.ts';
import { findUnmarkedSince, scanFirstTier } from './interrupted-replays.ts';
import { ReplayCounts } from './replay-counts.ts';
import { replay, type ReplayOptions } from './replay.ts';

type ReplayCommand = Extract<DeadLettersCommand, { readonly verb: 'replay' }>;

export interface ReplayTools extends Pick<KafkaTools, 'settings' | 'screen'> {
  scan(topic: string): Promise<ScannedTopic>;
  writer(): Promise<Pick<ReplayWriter, 'publishRetries' | 'markReplayed'>>;
  planner(): Promise<ReplayOptions['planner']>;
}

/** Replays the dead letters that the filter selects, and prints what it did even if it fails. */
export async function runReplay(
  command: ReplayCommand,
  tools: ReplayTools,
  { out, err, signal }: Pick<Terminal, 'out' | 'err' | 'signal'>,
): Promise<0> {
  const { filter, again, dryRun } = command;
  const { screen, settings } = tools;
  const { certificates, tierPrefix, deadLetters } = wantedTopics(settings);
  const scan = await tools.scan(deadLetters);
  const deadLetterScan = await scanDeadLetters(scan, filter, screen);
  const counts = new ReplayCounts(deadLetterScan.selected);
  try {
    await replay(scan, {
      deadLetterScan,
      inFirstTier: again ? new ReplayedOffsets() : await findInFirstTier(scan, deadLetterScan, tools),
      again,
      writer: dryRun ? undefined : await tools.writer(),
      planner: await tools.planner(),
      isCertificateTopic: (topic) => certificates.includes(topic),
      isTier: (topic) => tierTopicsIn([topic], tierPrefix).length > 0,
      counts,
      screen,
      clock: screen.clock,
      signal,
    });
  } finally {
    for (const line of counts.lines(dryRun)) out(line);
    if (signal.aborted) err('run it again to go on');
  }
  return 0;
}

/** Returns the dead letters that killed replays wrote to the first tier without a marker. */
async function findInFirstTier(
  scan: ScannedTopic,
  found: DeadLetterScan,
  tools: ReplayTools,
): Promise<ReplayedOffsets> {
  const { screen, settings } = tools;
  const since = found.selected === 0 ? undefined : await findUnmarkedSince(scan, found, screen);
  if (since === undefined) return new ReplayedOffsets();
  return scanFirstTier(await tools.scan(firstTierTopic(settings)), since, screen);
}
