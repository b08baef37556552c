/**
 * Key of the records by which `configurations accept` confirms a topic that was created again: one tombstone in each
 * partition. Versions of the service that do not know them remove a configuration that does not exist.
 */
export const acceptanceKey = 'certificate-webhooks.accepted';

export function isAcceptance(id: string, value: Buffer | null): boolean {
  return value === null && id === acceptanceKey;
}
