import { systemClock } from '../../lib/clock.ts';
import { wantedTopics } from '../../service/configured-topics.ts';
import { runReplay } from './run-replay.ts';
import { isEmptySpan } from '../terminal/time-argument.ts';
import { firstTierTopic, withKafka, type KafkaTools } from '../with-kafka.ts';
import { withSettings, type ExitCode } from '../with-settings.ts';
import type { DeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import { Columns } from '../terminal/columns.ts';
import { mergeByAge, type Line } from './merge-by-age.ts';
import { cellsOf, jsonOf, titles } from './listing.ts';
import { ageOf } from './selection.ts';
import { scanDeadLetters } from './dead-letter-scan.ts';
import { Progress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { DeadLettersCommand } from './dead-letters-command.ts';

export async function runDeadLetters(command: DeadLettersCommand, terminal: Terminal): Promise<ExitCode> {
  const { since, until } = command.filter;
  if (isEmptySpan(since, until, systemClock.now())) {
    terminal.err('error: --until has to be later than --since');
    return 2;
  }
  return withSettings(terminal.err, async (settings): Promise<ExitCode> => {
    const { deadLetters, configurations = deadLetters } = wantedTopics(settings);
    switch (command.verb) {
      case 'list':
        return withKafka({ settings, terminal, topics: [deadLetters] }, (tools) =>
          listDeadLetters(command, tools, terminal),
        );
      case 'replay': {
        const topics = [deadLetters, firstTierTopic(settings), configurations];
        return withKafka({ settings, terminal, topics }, async (tools) => runReplay(command, tools, terminal));
      }
    }
  });
}

/** Prints the selected dead letters, the newest last. */
async function listDeadLetters(
  { filter, json }: Extract<DeadLettersCommand, { readonly verb: 'list' }>,
  tools: KafkaTools,
  { out, drained }: Terminal,
): Promise<0> {
  const { screen, settings } = tools;
  const scan = await tools.scan(settings.deadLetters.topic);
  const columns = new Columns();
  columns.measure(titles);
  const measure = (letter: DeadLetter): void => columns.measure(cellsOf(letter, true));
  const found = await scanDeadLetters(scan, filter, screen, json ? undefined : measure);
  if (!json && found.selected > 0) out(columns.line(titles));
  let replayedBefore = 0;
  const toLine = (letter: DeadLetter): Line | undefined => {
    if (!found.isSelected(letter)) return undefined;
    const isReplayed = found.replayed.has(letter.record, letter.source);
    if (isReplayed) replayedBefore += 1;
    const text = json ? jsonOf(letter, isReplayed) : columns.line(cellsOf(letter, isReplayed));
    return { age: ageOf(letter), text };
  };
  // No bar: it would be drawn between the printed lines.
  using progress = new Progress(`listing ${scan.topic}`, scan.offsets(), { ...screen, bar: undefined });
  const lines = found.selected === 0 ? [] : mergeByAge(scan, toLine, (offsets) => progress.advance(offsets));
  for await (const line of lines) {
    out(line);
    // Otherwise all lines would wait in memory for a slow reader.
    await drained();
  }
  screen.err(`dead letters: ${found.selected}, replayed: ${replayedBefore}`);
  return 0;
}
