/**
 * Key of the records by which `configurations accept` confirms a topic that was created again: one tombstone in each
 * partition. Its prefix is reserved, so a configuration with this key is refused.
 */
export const acceptanceKey = 'certificate-webhooks.accepted';

/** Returns false for a tombstone that removes a configuration with this key, which earlier versions took. */
export function isAcceptance(id: string, value: Buffer | null, isConfiguration: boolean): boolean {
  return value === null && id === acceptanceKey && !isConfiguration;
}
