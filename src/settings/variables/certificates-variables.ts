import { certificates, password } from '../kinds/file-kinds.ts';
import { certificateTopic, startPosition } from '../kinds/kafka-kinds.ts';
import { listOf, unique } from '../kinds/list-kind.ts';
import { basicUserName, serviceUrl } from '../kinds/network-kinds.ts';
import type { Variables } from '../variable.ts';

export const certificateVariables = {
  CERTIFICATE_TOPICS: {
    kind: listOf(
      certificateTopic,
      unique(({ topic }) => topic),
    ),
    default: 'certificates.completed=certificate_completed,certificates.expired=certificate_expired',
    description:
      'The topics to read. The event type after `=` applies to all records of that topic. A topic without `=` is mixed: each record has its event type in the header `event-type` or `ce_type`. If both are missing, `expires` decides.',
  },
  CERTIFICATE_START: {
    kind: startPosition,
    description:
      'Where to start in a topic that has records but no committed offset of the group. If it is unset, `serve` stops with exit code 2 and says so: only a person can know whether the existing records should be delivered. If some partitions of a topic have a committed offset, the others start at their earliest record.',
  },
  SCHEMA_REGISTRY_URL: {
    kind: listOf(
      serviceUrl,
      unique((url) => url),
    ),
    description:
      'The URL of the schema registry, including the path of its API. Needed only for values in the Confluent framing. Several URLs are addresses of one registry: if one does not answer, the next is used.',
  },
  SCHEMA_REGISTRY_USERNAME: { kind: basicUserName, description: 'The user name for the schema registry.' },
  SCHEMA_REGISTRY_PASSWORD: { kind: password, secret: true, description: 'The password for the schema registry.' },
  SCHEMA_REGISTRY_CA_FILE: {
    kind: certificates,
    file: true,
    description: 'Certificate authorities to trust for the schema registry, in addition to the public ones.',
  },
} satisfies Variables;
