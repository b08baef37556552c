import type { WantedTopics } from '../kafka/topics/wanted-topics.ts';
import { tierTopic, type Settings } from '../settings.ts';
import { formatDuration } from '../lib/duration.ts';

/** What the cluster has to provide, by these settings. */
export function wantedTopics(settings: Settings): WantedTopics {
  const { certificates, webhooks, retry, deadLetters, delivery } = settings;
  return {
    certificates: certificates.topics.map(({ topic }) => topic),
    configurations: webhooks.source.kind === 'kafka' ? webhooks.source.topic : undefined,
    tiers: configuredTiers(settings).map(({ topic }) => topic),
    tierPrefix: retry.topicPrefix,
    deadLetters: deadLetters.topic,
    maxAgeMs: delivery.maxAgeMs,
  };
}

/** The configured tiers in order; the label is the delay as the topic's name has it. */
export function configuredTiers({ retry }: Settings): readonly { readonly topic: string; readonly label: string }[] {
  return retry.delaysMs.map((delayMs) => ({
    topic: tierTopic(retry.topicPrefix, delayMs),
    label: formatDuration(delayMs),
  }));
}
