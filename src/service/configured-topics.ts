import type { Tier, WantedTopics } from '../kafka/topics/wanted-topics.ts';
import { tierTopic, type Settings } from '../settings.ts';
import { formatDuration } from '../lib/units.ts';

export function wantedTopics(settings: Settings): WantedTopics {
  const { certificates, webhooks, retry, deadLetters, results, delivery, intake } = settings;
  return {
    certificates: certificates.topics.map(({ topic }) => topic),
    configurations: webhooks.source.kind === 'kafka' ? webhooks.source.topic : undefined,
    tiers: configuredTiers(settings).map(({ topic }) => topic),
    tierPrefix: retry.topicPrefix,
    deadLetters: deadLetters.topic,
    results: results.topic,
    maxAgeMs: delivery.maxAgeMs,
    maxRecordBytes: intake.maxRecordBytes,
  };
}

/** Returns the configured tiers in the order of the settings. The label is the delay as in the topic's name. */
export function configuredTiers({ retry }: Settings): readonly Tier[] {
  return retry.delaysMs.map((delayMs) => ({
    topic: tierTopic(retry.topicPrefix, delayMs),
    label: formatDuration(delayMs),
    delayMs,
  }));
}
