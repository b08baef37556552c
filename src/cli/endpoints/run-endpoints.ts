import { oneLine } from '../../lib/one-line.ts';
import { processEnvironment, type Settings } from '../../settings.ts';
import { align } from '../terminal/columns.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withoutKafka, withSettings, type ExitCode } from '../with-settings.ts';
import { askInstances, type InstanceAnswer } from './ask-instances.ts';
import { mergeEndpoints, type MergedEndpoint } from './merge-endpoints.ts';

export interface EndpointsCommand {
  /** Undefined for the endpoints that need attention. */
  readonly configurationId: string | undefined;
  /** Prints one JSON object per line instead of a table. */
  readonly json: boolean;
}

/**
 * Asks all instances for their endpoints, and prints them merged. Returns exit code 1 if an instance does not answer, because
 * something may be missing then. Returns 2 if `ENDPOINTS_OF` is not set, or if no instance knows the configuration.
 */
export async function runEndpoints(command: EndpointsCommand, terminal: Terminal): Promise<ExitCode> {
  const { err, signal } = terminal;
  const run = async ({ endpointsOf }: Settings): Promise<ExitCode> => {
    if (endpointsOf === undefined) {
      err('error: ENDPOINTS_OF is not set: expected host:port, where the host resolves to every instance');
      return 2;
    }
    const answers = await askInstances(endpointsOf, command.configurationId, signal);
    if (!signal.aborted) return printAnswers(answers, command, terminal);
    err('stopped before the end');
    return 1;
  };
  return withSettings(err, run, withoutKafka(processEnvironment()));
}

/** Prints the endpoints of the instances that answered, and names the others. */
export function printAnswers(
  answers: readonly InstanceAnswer[],
  { configurationId, json }: EndpointsCommand,
  { out, err }: Pick<Terminal, 'out' | 'err'>,
): ExitCode {
  const answered = answers.filter((answer) => answer.kind === 'endpoints');
  const merged = mergeEndpoints(answered.flatMap(({ endpoints }) => endpoints));
  for (const line of json ? merged.map((endpoint) => JSON.stringify(endpoint)) : table(merged)) out(line);
  for (const answer of answers)
    if (answer.kind === 'failed') err(`error: ${answer.address} does not answer: ${answer.reason}`);
  err(`addresses: ${answers.length}, answered: ${answered.length}, endpoints: ${merged.length}`);
  if (answered.length < answers.length) return 1;
  if (configurationId === undefined || merged.length > 0) return 0;
  err(`error: there is no configuration ${configurationId}`);
  return 2;
}

function table(endpoints: readonly MergedEndpoint[]): readonly string[] {
  if (endpoints.length === 0) return [];
  const titles = [
    'CONFIGURATION',
    'OWNER',
    'HOST',
    'STATE',
    'CIRCUIT',
    'HEALTH',
    'FAILURES',
    'SINCE',
    'WAITING',
    'LAST',
  ];
  return align([titles, ...endpoints.map(row)]);
}

/** Formats one row. `oneLine` bounds the length of foreign texts. */
function row(endpoint: MergedEndpoint): readonly string[] {
  const { configurationId, ownerId, host, state, circuit, health, failures, failingSince, waiting } = endpoint;
  const { lastOutcomeAt, lastOutcome, lastMessage } = endpoint;
  const last = [lastOutcomeAt, lastOutcome, lastMessage].filter((part) => part !== undefined).join(' ');
  return [
    configurationId,
    ownerId ?? '-',
    host ?? '-',
    state,
    circuit,
    health,
    String(failures),
    failingSince ?? '-',
    String(waiting),
    last || '-',
  ].map(oneLine);
}
