import type { CheckedEntry } from '../../webhooks/check-configuration.ts';
import { sealingKeyOf } from '../../webhooks/sealing/key-set.ts';
import type { SealingKey } from '../../webhooks/sealing/sealing-key.ts';
import { sealDocument, type SealedParts } from '../../webhooks/sealing/seal-document.ts';
import type { ConfigurationsContext } from './context.ts';

/** Returns the key that seals. Without one, prints an error and returns undefined. */
export function chooseSealingKey({ keys, err }: ConfigurationsContext): SealingKey | undefined {
  const key = sealingKeyOf(keys ?? []);
  if (keys === undefined) err('error: WEBHOOK_KEYS_FILE is not set: expected the keys to seal with');
  else if (key === undefined) err('error: WEBHOOK_KEYS_FILE holds no key that seals');
  return key;
}

/** Seals the credentials of a valid configuration. With `renew`, also replaces the parts that are already sealed. */
export function sealEntry({ entry, opened }: CheckedEntry, key: SealingKey, renew: boolean): Promise<SealedParts> {
  return sealDocument(entry.value, key, renew ? opened : entry.value);
}
