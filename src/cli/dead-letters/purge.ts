import { readDeadLetter, type DeadLetter } from '../../kafka/records/dead-letter.ts';
import { wantedTopics } from '../../service/configured-topics.ts';
import type { CommandOf } from '../command.ts';
import { noConditions } from '../listing/selection.ts';
import { readWhole } from '../read-topics.ts';
import { CountsByName } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withKafka, type KafkaNeeds } from '../with-kafka.ts';
import type { ExitCode } from '../with-settings.ts';
import { batchSize } from './replay.ts';
import { scanDeadLetters } from './scan.ts';

/** Marks the dead letters of webhooks, so that they are not listed and replayed any more. Their values stay in the topic. */
export function purgeDeadLetters({ ids, dryRun }: CommandOf<'remove'>, terminal: Terminal): Promise<ExitCode> {
  const needs: KafkaNeeds = { span: noConditions, topicsOf: (settings) => [wantedTopics(settings).deadLetters] };
  return withKafka(terminal, needs, async ({ screen, settings, ...tools }) => {
    const scan = await tools.scan(settings.deadLetters.topic);
    const { purged } = await scanDeadLetters(scan, noConditions, screen);
    const counts = new CountsByName();
    const isWanted = ({ record, source, webhookId }: DeadLetter): boolean =>
      webhookId !== undefined && ids.includes(webhookId) && !purged.has(record, source);
    const writer = dryRun ? undefined : await tools.writer();
    for await (const records of readWhole(dryRun ? 'counting' : 'purging', scan, screen)) {
      const letters = records.map(readDeadLetter).flatMap((read) => (read.kind === 'letter' ? [read.letter] : []));
      const wanted = letters.filter(isWanted);
      for (let at = 0; at < wanted.length; at += batchSize) {
        terminal.signal.throwIfAborted();
        const batch = wanted.slice(at, at + batchSize);
        await writer?.markPurged(batch);
        for (const { webhookId = '' } of batch) counts.add(webhookId);
      }
    }
    for (const line of [`dead letters ${dryRun ? 'to be ' : ''}purged: ${counts.total}`, ...counts.lines()])
      terminal.out(line);
    return 0;
  });
}
