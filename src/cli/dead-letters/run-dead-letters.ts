import { systemClock } from '../../lib/clock.ts';
import { wantedTopics } from '../../service/configured-topics.ts';
import type { DeadLettersCommand } from './dead-letters-command.ts';
import { listDeadLetters } from './list-dead-letters.ts';
import { runReplay } from './run-replay.ts';
import { isEmptySpan } from '../terminal/time-argument.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { firstTierTopic, withKafka } from '../with-kafka.ts';
import { withSettings } from '../with-settings.ts';

/** Runs a verb of `dead-letters` with the settings of the environment. */
export async function runDeadLetters(command: DeadLettersCommand, terminal: Terminal): Promise<0 | 1 | 2> {
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
            drained: terminal.drained,
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
