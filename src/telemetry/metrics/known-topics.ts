/** The topics and tiers that are known at start. Their series are exposed from the start. */
export interface KnownTopics {
  readonly certificateTopics: readonly string[];
  /** The configured tiers. A label is the delay as in the topic's name, such as `10m`. */
  readonly tiers: readonly { readonly topic: string; readonly label: string }[];
  /** The results topic. Undefined or left out if no results are published. */
  readonly resultsTopic?: string | undefined;
}

export function consumedTopics({ certificateTopics, tiers }: KnownTopics): readonly string[] {
  return [...certificateTopics, ...tiers.map(({ topic }) => topic)];
}

export function tierLabels({ tiers }: KnownTopics): readonly string[] {
  return tiers.map(({ label }) => label);
}
