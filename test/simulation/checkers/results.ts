import type { Document } from '../../support/builders.ts';
import type { DeliveryReport, Entry } from '../history.ts';
import { topics } from '../scenario/scenario.ts';
import { parseDeliveryId, positionOf, type RunFacts } from './run-facts.ts';
import type { Violation } from './violation.ts';

/**
 * Checks the results topic against the events that the processes counted in their metrics, and against the requests that
 * endpoints received.
 *
 * - No record tells of something that no process has reported.
 * - A record is settled after the results of its deliveries were written, there or as owed to a tier. One without deliveries is
 *   settled after its own result, and an owed one after it was written again.
 * - A process that is drained has written all results of the deliveries that it did not abandon.
 * - In a graceful run, the topic holds each event exactly once.
 * - Each delivery that reached an endpoint is in the topic, if its webhook was subscribed throughout.
 */
export function checkResults(facts: RunFacts): readonly Violation[] {
  if (!facts.run.scenario.settings.hasResults) return [];
  const results = new Results(facts);
  const checks = [
    checkInventions,
    checkSettled,
    checkUndelivered,
    checkOwed,
    checkDrained,
    checkGraceful,
    checkArrivals,
  ];
  return checks.flatMap((check) => check(facts, results));
}

/** The records of the results topic, and those that the tiers hold for it, by what they tell. */
class Results {
  /** The entries of the records that tell the same. */
  readonly byReport = new Map<string, number[]>();
  /** Those of them that are in the topic. */
  readonly told = new Map<string, number>();
  readonly byDelivery = new Map<string, number[]>();
  /** The changes of circuits in the topic, by webhook. */
  readonly changes = new Map<string, number>();

  constructor({ entries, inputs }: RunFacts) {
    for (const [index, entry] of entries.entries()) {
      if (entry.kind !== 'appended') continue;
      const isOwed = inputs.get(positionOf(entry.record))?.kind === 'owed_result';
      if (entry.record.topic !== topics.results && !isOwed) continue;
      const value = JSON.parse(String(entry.record.value)) as Document;
      if (value['type'] === 'endpoint.changed') count(this.changes, String(value['configurationId']));
      else this.#add(index, reportIn(value), isOwed);
    }
  }

  #add(index: number, report: DeliveryReport, isOwed: boolean): void {
    push(this.byReport, textOf(report), index);
    push(this.byDelivery, report.deliveryId, index);
    if (!isOwed) count(this.told, textOf(report));
  }
}

function checkInventions({ entries }: RunFacts, results: Results): readonly Violation[] {
  const reportedAt = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    if (entry.kind === 'reported' && !reportedAt.has(textOf(entry.result))) reportedAt.set(textOf(entry.result), index);
  }
  return [...results.byReport].flatMap(([text, [first = 0]]) =>
    isOfRecord(text) || (reportedAt.get(text) ?? Number.POSITIVE_INFINITY) < first
      ? []
      : [violation(`the topic tells ${text}, which no process had reported`, entries[first])],
  );
}

function checkSettled({ entries, inputs }: RunFacts, results: Results): readonly Violation[] {
  const consumedAt = new Map<string, number>();
  const reports = new Map<string, { readonly index: number; readonly deliveryId: string }[]>();
  const held = new HeldDeliveries(inputs);
  return entries.flatMap((entry, index) => {
    held.take(entry);
    if (entry.kind === 'consumed') consumedAt.set(`${entry.instance} ${positionOf(entry)}`, index);
    if (entry.kind === 'reported' && !held.isTwice(entry.instance, entry.result.deliveryId)) {
      push(reports, entry.instance, { index, deliveryId: entry.result.deliveryId });
    }
    if (entry.kind !== 'settled') return [];
    const { instance } = entry;
    const position = positionOf(entry);
    const from = consumedAt.get(`${instance} ${position}`) ?? 0;
    const input = inputs.get(position);
    const isOwn = (deliveryId: string): boolean =>
      input?.kind === 'retry' ? deliveryId === input.deliveryId : deliveryId.startsWith(`${position}/`);
    const own = (reports.get(instance) ?? []).filter((report) => report.index > from && isOwn(report.deliveryId));
    const isWritten = ({ deliveryId }: { readonly deliveryId: string }): boolean =>
      results.byDelivery.get(deliveryId)?.some((at) => at > from && at < index) === true;
    return own
      .filter((report) => !isWritten(report))
      .map(({ deliveryId }) => violation(`${instance} settled ${position} before a result of ${deliveryId}`, entry));
  });
}

/** Results of records that lead to no delivery, by their kind. */
const undelivered: ReadonlyMap<string, string> = new Map([
  ['certificate', 'unclaimed'],
  ['ignored', 'ignored'],
  ['invalid', 'dead_lettered'],
]);

function checkUndelivered({ entries, inputs }: RunFacts, results: Results): readonly Violation[] {
  const consumedAt = new Map<string, number>();
  return entries.flatMap((entry, index) => {
    if (entry.kind === 'consumed') consumedAt.set(`${entry.instance} ${positionOf(entry)}`, index);
    if (entry.kind !== 'settled') return [];
    const position = positionOf(entry);
    const kind = inputs.get(position)?.kind;
    if (kind === undefined || undelivered.get(kind) !== entry.result) return [];
    const from = consumedAt.get(`${entry.instance} ${position}`) ?? 0;
    const isWritten = results.byDelivery.get(position)?.some((at) => at > from && at < index) === true;
    return isWritten ? [] : [violation(`${entry.instance} settled ${position} before its result was written`, entry)];
  });
}

function checkOwed({ entries, inputs }: RunFacts, results: Results): readonly Violation[] {
  return entries.flatMap((entry, index) => {
    const input = entry.kind === 'settled' ? inputs.get(positionOf(entry)) : undefined;
    if (input?.kind !== 'owed_result') return [];
    const text = textOf(reportIn(JSON.parse(String(input.value)) as Document));
    const isWritten = results.byReport.get(text)?.some((at) => at > input.index && at < index) === true;
    return isWritten ? [] : [violation(`${input.position} was settled before ${text} was written again`, entry)];
  });
}

/** Counts the records of a delivery that a process holds. With its certificate and a retry, a report may be of either. */
class HeldDeliveries {
  readonly #inputs: RunFacts['inputs'];
  readonly #counts = new Map<string, number>();

  constructor(inputs: RunFacts['inputs']) {
    this.#inputs = inputs;
  }

  take(entry: Entry): void {
    if (entry.kind !== 'consumed' && entry.kind !== 'settled' && entry.kind !== 'abandoned') return;
    const input = this.#inputs.get(positionOf(entry));
    const key = `${entry.instance} ${input?.kind === 'retry' ? input.deliveryId : positionOf(entry)}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + (entry.kind === 'consumed' ? 1 : -1));
  }

  isTwice(instance: string, deliveryId: string): boolean {
    const { position } = parseDeliveryId(deliveryId);
    const [ofCertificate, ofRetries] = [position, deliveryId].map((key) => this.#counts.get(`${instance} ${key}`) ?? 0);
    return (ofCertificate ?? 0) + (ofRetries ?? 0) > 1;
  }
}

function checkDrained({ entries, inputs }: RunFacts, results: Results): readonly Violation[] {
  const abandoned = new Set<string>();
  return entries.flatMap((entry, end) => {
    if (entry.kind === 'abandoned') {
      const input = inputs.get(positionOf(entry));
      abandoned.add(`${entry.instance} ${input?.kind === 'retry' ? input.deliveryId : positionOf(entry)}`);
    }
    if (entry.kind !== 'instance' || entry.change !== 'is drained') return [];
    const { instance } = entry;
    const isAbandoned = (deliveryId: string): boolean =>
      abandoned.has(`${instance} ${deliveryId}`) ||
      abandoned.has(`${instance} ${deliveryId.slice(0, deliveryId.lastIndexOf('/'))}`);
    const missing = entries
      .slice(0, end)
      .filter((one) => one.kind === 'reported' && one.instance === instance && !isAbandoned(one.result.deliveryId))
      .flatMap((one) => (one.kind === 'reported' && !results.byReport.has(textOf(one.result)) ? [one.result] : []));
    return missing.map((report) => violation(`${instance} is drained, and never wrote ${textOf(report)}`, entry));
  });
}

function checkGraceful({ entries, run }: RunFacts, results: Results): readonly Violation[] {
  if (!run.scenario.isGraceful) return [];
  const reported = new Map<string, number>();
  const changes = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === 'reported') count(reported, textOf(entry.result));
    if (entry.kind === 'emitted' && entry.event === 'circuit') count(changes, webhookIn(entry.detail));
  }
  const last = entries.at(-1);
  const wrong = [...reported].filter(([text, times]) => results.told.get(text) !== times);
  // Changes that wait become one while the topic refuses writes.
  const mayMerge = run.scenario.networkFaults.length > 0;
  const wrongChanges = [...changes].filter(([id, times]) => !mayMerge && results.changes.get(id) !== times);
  return [
    ...wrong.map(([text, times]) =>
      violation(`${text} was reported ${times} times, and is in the topic otherwise`, last),
    ),
    ...wrongChanges.map(([id, times]) => violation(`the circuit of ${id} changed ${times} times, not as told`, last)),
  ];
}

function checkArrivals(facts: RunFacts, results: Results): readonly Violation[] {
  const seen = new Set<string>();
  return facts.entries.flatMap((entry, from) => {
    if (entry.kind !== 'arrived' || seen.has(entry.deliveryId)) return [];
    const { deliveryId } = entry;
    seen.add(deliveryId);
    if (results.byDelivery.has(deliveryId)) return [];
    if (!facts.isSubscribedThroughout(deliveryId, { from, to: facts.end })) return [];
    return [violation(`${deliveryId} reached its endpoint, and has no result`, entry)];
  });
}

/** Reads what a result tells. One of a record has its position in place of the delivery's id, and no attempt. */
function reportIn(value: Document): DeliveryReport {
  const { type, deliveryId, attempt = 0, outcome, reason } = value;
  const position = [value['topic'], value['partition'], value['offset']].join('/');
  const what = type === 'delivery.dead_lettered' ? reason : outcome;
  return {
    type: String(type),
    deliveryId: typeof deliveryId === 'string' ? deliveryId : position,
    attempt: Number(attempt),
    what: typeof what === 'string' ? what : undefined,
  };
}

function textOf({ type, deliveryId, attempt, what = 'nothing' }: DeliveryReport): string {
  return `${type} ${deliveryId} attempt ${attempt} ${what}`;
}

function isOfRecord(text: string): boolean {
  return text.startsWith('record.');
}

function webhookIn(detail: string): string {
  return (JSON.parse(detail) as { readonly webhookId: string }).webhookId;
}

function violation(problem: string, entry: Entry | undefined): Violation {
  return { invariant: 'results', problem, at: entry?.at ?? 0 };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function push<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key) ?? [];
  list.push(item);
  lists.set(key, list);
}
