import { keySet } from '../kinds/file-kinds.ts';
import { webhookSource } from '../kinds/kafka-kinds.ts';
import { boolean } from '../kinds/kind.ts';
import type { VariableGroup, Variables } from '../variable.ts';

const variables = {
  WEBHOOK_CONFIGURATIONS: {
    kind: webhookSource,
    default: 'kafka:certificates.webhook-configurations',
    meaning:
      'Where the webhook configurations come from. Files are JSON or YAML, and read again when they change; of a folder all `.json`, `.yaml` and `.yml` are read.',
  },
  WEBHOOK_KEYS_FILE: {
    kind: keySet,
    file: true,
    meaning: 'The keys that open sealed webhook configurations; the first of them seals. Read again when it changes.',
  },
  WEBHOOK_REQUIRE_SEALED: {
    kind: boolean,
    default: 'false',
    meaning:
      'Whether to refuse webhook configurations whose credentials are not sealed: an `auth` that is not `none`, and `customHeaders` that are not empty. Needs `WEBHOOK_KEYS_FILE`.',
  },
} satisfies Variables;

export const webhookVariables = { title: 'Webhook configurations', variables } satisfies VariableGroup;
