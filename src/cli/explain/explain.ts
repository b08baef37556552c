import type { SourceRecord } from '../../certificates/record.ts';
import { wantedTopics } from '../../service/configured-topics.ts';
import { configurationRules, type Settings } from '../../settings.ts';
import type { ExplainCommand } from '../command.ts';
import { withRegistryTimeout } from '../configurations/stored.ts';
import { readTopics, type Reading } from '../read-topics.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { resolveTimeArgument } from '../terminal/time-argument.ts';
import { openGroupTopics, openTiers } from '../tiers.ts';
import { firstTierTopic, withKafka, type KafkaTools } from '../with-kafka.ts';
import type { ExitCode } from '../with-settings.ts';
import { CertificateRecords, wantedCertificate, type Wanted } from './certificate-records.ts';
import { ConfigurationHistory } from './configuration-history.ts';
import { DeliveryEvents } from './delivery-events.ts';
import { answerOf } from './answers.ts';
import { answerLines, nothingFound } from './words.ts';

export function runExplain(command: ExplainCommand, terminal: Terminal): Promise<ExitCode> {
  const { certificateId, ownerId, since, json } = command;
  const span = { since, until: undefined };
  return withKafka(terminal, { span, topicsOf }, async (tools) => {
    const { out, err, signal } = terminal;
    const sinceMs = since && resolveTimeArgument(since, tools.screen.clock.now());
    const wanted = wantedCertificate(certificateId, ownerId);
    const { answers, omitted } = await explain(tools, { wanted, sinceMs, signal });
    const lines = json ? answers.map((answer) => JSON.stringify(answer)) : answerLines(certificateId, answers);
    for (const line of lines) out(line);
    if (!json && answers.length === 0) out(nothingFound(command, sinceMs, searchedTopics(tools.settings)));
    if (omitted > 0) err(`warning: there is more than this command keeps, and ${omitted} records were left out`);
    err(`records of the certificate: ${answers.length}`);
    return answers.length === 0 ? 3 : 0;
  });
}

function topicsOf(settings: Settings): readonly string[] {
  const { configurations } = wantedTopics(settings);
  return [...searchedTopics(settings), firstTierTopic(settings), configurations].flatMap((topic) => topic ?? []);
}

/** Returns the topics that may hold a trace of a certificate, but for the tiers. */
function searchedTopics(settings: Settings): readonly string[] {
  const { certificates, deadLetters, results } = wantedTopics(settings);
  return [...certificates, deadLetters, results].flatMap((topic) => topic ?? []);
}

interface ExplainOptions {
  readonly wanted: Wanted;
  /** Reads records from this time on, in epoch milliseconds. */
  readonly sinceMs: number | undefined;
  readonly signal: AbortSignal;
  /** Limits of what is kept. */
  readonly most?: { readonly records: number; readonly events: number };
}

/**
 * Tells what became of a certificate, from what Kafka holds. What is settled in a topic has been written to the next ones
 * before, so the topics are opened in the order in which a delivery passes through them. `omitted` counts the records that were left
 * out because of the limits.
 *
 * 1. The certificate topics, with the commits of their group: the records.
 * 2. The tiers, with the commits of theirs. Then the dead letters and the results: the traces of the deliveries.
 * 3. The configurations of the owners: who wanted it, and who did not.
 */
export async function explain(
  tools: Pick<KafkaTools, 'settings' | 'screen' | 'admin' | 'commits' | 'scan' | 'planner'>,
  { wanted, sinceMs, signal, most = { records: 1000, events: 10_000 } }: ExplainOptions,
) {
  const { settings, screen } = tools;
  const topics = wantedTopics(settings);
  const planner = await tools.planner();
  const records = new CertificateRecords({ wanted, planner, maxRecords: most.records });
  const certificates = await openGroupTopics(tools, settings.kafka.groupId, topics.certificates);
  const sources = certificates.map(({ scan }) => ({ scan, take: (record: SourceRecord) => records.take(record) }));
  await readTopics('looking for the certificate', await startAt(sinceMs, sources), screen);

  const events = new DeliveryEvents(wanted, records, most.events);
  const tiers = await openTiers(tools);
  const deadLetters = await tools.scan(topics.deadLetters);
  const results = topics.results === undefined ? undefined : await tools.scan(topics.results);
  const traces: Reading[] = [
    ...tiers.map((tier) => ({ scan: tier.scan, take: (record: SourceRecord) => events.takeRetry(record, tier) })),
    { scan: deadLetters, take: (record) => events.takeDeadLetter(record) },
    ...(results === undefined ? [] : [{ scan: results, take: (one: SourceRecord) => events.takeResultRecord(one) }]),
  ];
  await readTopics('looking for its deliveries', await startAt(sinceMs, traces), screen);

  const history = new ConfigurationHistory({
    owners: records.owners,
    rules: configurationRules(settings),
    framed: planner.framed,
    signal: withRegistryTimeout(signal),
  });
  if (topics.configurations === undefined) {
    const webhooks = await planner.webhooks();
    for (const owner of records.owners) history.addCurrent(webhooks.ofOwner(owner));
  } else {
    const scan = await tools.scan(topics.configurations);
    await readTopics('looking for its webhooks', [{ scan, take: (record) => history.take(record) }], screen);
  }
  const hasResults = results !== undefined;
  const answers = records.all.map((found) => answerOf(found, { certificates, events, history, hasResults }));
  return { answers, omitted: records.omitted + events.omitted };
}

/** Starts readings at the first record of that time or later. */
async function startAt(epochMs: number | undefined, readings: readonly Reading[]): Promise<readonly Reading[]> {
  if (epochMs === undefined) return readings;
  return Promise.all(readings.map(async (one) => ({ ...one, starts: await one.scan.offsetsForTime(epochMs) })));
}
