/** What is known beforehand, so that its series are there from the start. */
export interface KnownTopics {
  readonly certificateTopics: readonly string[];
  /** The configured tiers; the label is the delay as the topic's name has it, such as `10m`. */
  readonly tiers: readonly { readonly topic: string; readonly label: string }[];
}

export function consumedTopics({ certificateTopics, tiers }: KnownTopics): readonly string[] {
  return [...certificateTopics, ...tiers.map(({ topic }) => topic)];
}

export function tierLabels({ tiers }: KnownTopics): readonly string[] {
  return tiers.map(({ label }) => label);
}
