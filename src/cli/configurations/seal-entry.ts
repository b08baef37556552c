import type { CheckedEntry } from '../../webhooks/check-configuration.ts';
import { sealingKeyOf } from '../../webhooks/sealing/key-set.ts';
import type { SealingKey } from '../../webhooks/sealing/sealing-key.ts';
import { sealDocument, type SealedParts } from '../../webhooks/sealing/seal-document.ts';
import type { ConfigurationsContext } from './context.ts';

/** The key that seals. Undefined when there is none, which is told. */
export function chooseSealingKey({ keys, err }: ConfigurationsContext): SealingKey | undefined {
  const key = sealingKeyOf(keys ?? []);
  if (keys === undefined) err('error: WEBHOOK_KEYS_FILE is not set: expected the keys to seal with');
  else if (key === undefined) err('error: WEBHOOK_KEYS_FILE holds no key that seals');
  return key;
}

/** Seals what stands in clear in a valid configuration; with `renew` what is sealed already, too. */
export function sealEntry({ entry, opened }: CheckedEntry, key: SealingKey, renew: boolean): Promise<SealedParts> {
  return sealDocument(entry.value, key, renew ? opened : entry.value);
}
