import { keySet } from '../kinds/file-kinds.ts';
import { webhookSource } from '../kinds/kafka-kinds.ts';
import { boolean } from '../kinds/kind.ts';
import type { Variables } from '../variable.ts';

export const webhookVariables = {
  WEBHOOK_CONFIGURATIONS: {
    kind: webhookSource,
    default: 'kafka:certificates.webhook-configurations',
    description:
      'The source of the webhook configurations. Files are JSON or YAML, and are read again when they change; YAML ten seconds after its last change. In a folder, all `.json`, `.yaml` and `.yml` files are read.',
  },
  WEBHOOK_KEYS_FILE: {
    kind: keySet,
    file: true,
    description:
      'The keys that open sealed webhook configurations. The first one seals. The file is read again when it changes.',
  },
  WEBHOOK_REQUIRE_SEALED: {
    kind: boolean,
    default: 'false',
    description:
      '`true` to reject webhook configurations whose credentials are not sealed: an `auth` other than `none`, or non-empty `customHeaders`. It needs `WEBHOOK_KEYS_FILE`.',
  },
} satisfies Variables;
