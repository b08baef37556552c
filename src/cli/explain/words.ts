import type { ExplainCommand } from '../command.ts';
import type { DeadLetterAnswer, NotWanted, RecordAnswer, VersionAnswer, WebhookAnswer } from './answers.ts';

/** Describes what became of the records of a certificate, for people. */
export function answerLines(certificateId: string, answers: readonly RecordAnswer[]): readonly string[] {
  return answers.flatMap((answer, index) => {
    const { ownerId, webhooks, deadLetters } = answer;
    const isNewOwner = index === 0 || ownerId !== answers[index - 1]?.ownerId;
    const width = Math.max(0, ...webhooks.map(({ configurationId }) => configurationId.length));
    return [
      ...(isNewOwner ? [`certificate ${certificateId}${ownerId === null ? '' : ` of owner ${ownerId}`}`] : []),
      `  ${recordText(answer)}`,
      ...deadLetters.map((letter) => `    the record is dead: ${deadText(letter)}`),
      ...(ownerId !== null && webhooks.length === 0
        ? [`    no webhook wanted it: there is no configuration of this owner`]
        : []),
      ...webhooks.flatMap((webhook) => webhookLines(webhook, width)),
    ];
  });
}

/** Says where no record of the certificate was found, and what else to try. */
export function nothingFound(of: ExplainCommand, sinceMs: number | undefined, topics: readonly string[]): string {
  const owner = of.ownerId === undefined ? '' : ` of owner ${of.ownerId}`;
  const since = sinceMs === undefined ? '' : ` since ${timeWords(new Date(sinceMs).toISOString())}`;
  const advice = ['check the id', owner && 'leave out --owner', since && 'set --since earlier'].filter(Boolean);
  return `no record of certificate ${of.certificateId}${owner} in ${topics.join(', ')} or a retry topic${since}: ${advice.join(', ')}; records older than the retention of their topic are gone`;
}

function recordText({ place, eventType, timestamp, isInTopic, problem, progress }: RecordAnswer): string {
  const written = `${place}, ${eventType ?? 'of an unknown event'}, written ${timeWords(timestamp)}`;
  const gone = isInTopic ? '' : ', which was not found in its topic';
  return `${written}${gone}${problem === null ? '' : problemText(problem)}: ${progressText(progress)}`;
}

function problemText(problem: NonNullable<RecordAnswer['problem']>): string {
  if (problem.kind === 'ignored') return `, meant for nobody (${problem.why})`;
  return `, no certificate (${problem.reason}: ${problem.message}), although the id stands in it`;
}

function progressText(progress: RecordAnswer['progress']): string {
  switch (progress.state) {
    case 'settled':
      return 'read and settled';
    case 'uncommitted':
      return 'not read yet: the group has no commit in its partition';
    case 'unsettled':
      return `not read yet, or in progress: ${progress.before} unsettled records are before it, the group has committed ${progress.committedOffset}`;
  }
}

function webhookLines(webhook: WebhookAnswer, width: number): readonly string[] {
  const { configurationId, attempts } = webhook;
  const listed = webhook.state === 'delivered' && attempts.length === 1 ? [] : attempts;
  return [
    `    webhook ${configurationId.padEnd(width)}  ${stateText(webhook)}`,
    ...listed.map(({ attempt, outcome, status, at }) => {
      return `      attempt ${attempt}: ${outcome}${status === undefined ? '' : ` ${status}`}, ${timeWords(at)}`;
    }),
  ];
}

function stateText(webhook: WebhookAnswer): string {
  switch (webhook.state) {
    case 'delivered':
      return `delivered ${timeWords(webhook.at)}, ${webhook.status ?? '2xx'}, attempt ${webhook.attempt}`;
    case 'waiting': {
      const { tier, dueAt, behind, attemptsMade, reason } = webhook;
      const others = behind === 0 ? '' : `, behind ${behind} others`;
      const last = reason === undefined ? '' : `, the last outcome: ${reason}`;
      return `waiting in ${tier} until ${timeWords(dueAt)}${others}; attempts: ${attemptsMade}${last}`;
    }
    case 'dead_lettered':
      return `dead: ${deadText(webhook)}; attempts: ${webhook.attemptsMade}`;
    case 'unsubscribed':
      return `given up ${timeWords(webhook.at)}: its configuration was gone, or did not want it any more`;
    case 'not_wanted':
      return `not wanted: ${reasons[webhook.reason](webhook.configuration)}${changedText(webhook)}`;
    case 'unknown':
      return `not known: no version of that time is kept${changedText(webhook)}`;
    case 'pending':
      return 'nothing yet: its first attempt is not over';
    case 'settled':
      return webhook.isTold
        ? `settled; the results topic does not tell, or not any more, whether it was accepted or given up${changedText(webhook)}`
        : `settled; accepted or given up cannot be told apart without a results topic${changedText(webhook)}`;
  }
}

const reasons: Readonly<Record<NotWanted, (version: VersionAnswer | undefined) => string>> = {
  removed: (version) => `removed${versionText(version)}`,
  disabled: (version) => `disabled${versionText(version)}`,
  other_owner: (version) => `of another owner${versionText(version)}`,
  other_event: (version) => `only ${version?.events.join(', ')}${versionText(version)}`,
};

function versionText(version: VersionAnswer | undefined): string {
  if (version?.place === undefined) return ' in the configuration files';
  return ` (${version.place}, ${timeWords(version.at)})`;
}

function changedText({ changed }: WebhookAnswer): string {
  return changed === undefined ? '' : `; changed since: ${changed.state}${versionText(changed)}`;
}

function deadText({ reason, message, at, place, replayedAt, purgedAt }: DeadLetterAnswer): string {
  const why = message === undefined ? reason : `${reason}, ${message}`;
  const where = place === undefined ? '' : `, dead letter ${place}`;
  const replayed = replayedAt === undefined ? 'not replayed' : `replayed ${timeWords(replayedAt)}`;
  const mark = purgedAt === undefined ? replayed : `purged ${timeWords(purgedAt)}`;
  return `${why}, ${timeWords(at)}${where}, ${mark}`;
}

/** Shortens an ISO 8601 time to seconds. */
function timeWords(time: string | null | undefined): string {
  return time?.replace('T', ' ').replace(/\.\d{3}Z$/, 'Z') ?? 'at an unknown time';
}
