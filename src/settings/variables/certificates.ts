import { certificates, password } from '../kinds/file-kinds.ts';
import { certificateTopic, startPosition } from '../kinds/kafka-kinds.ts';
import { listOf, noneTwice } from '../kinds/list-kind.ts';
import { basicUserName, serviceUrl } from '../kinds/network-kinds.ts';
import type { VariableGroup, Variables } from '../variable.ts';

const variables = {
  CERTIFICATE_TOPICS: {
    kind: listOf(
      certificateTopic,
      noneTwice(({ topic }) => topic),
    ),
    default: 'certificates.completed=certificate_completed,certificates.expired=certificate_expired',
    meaning:
      'The topics to read. After `=` stands the event type of all records of that topic. Without it the topic is mixed: the event type is that of the header `event-type` or `ce_type`, and for want of both follows from `expires`.',
  },
  CERTIFICATE_START: {
    kind: startPosition,
    meaning:
      'Where to begin in a topic that has records but no commit of the group. Unset, `serve` stops there with exit code 2 and says so, because only a person can know whether the records that are there are to be delivered. Once a topic has a commit, its other partitions begin at their earliest record.',
  },
  SCHEMA_REGISTRY_URL: {
    kind: listOf(
      serviceUrl,
      noneTwice((url) => url),
    ),
    meaning:
      'The schema registry, with the path that its API has. Needed for values in the framing of Confluent, and for them only. Several addresses are those of one registry: when one does not answer, the next is asked.',
  },
  SCHEMA_REGISTRY_USERNAME: { kind: basicUserName, meaning: 'The user to log in as at the schema registry.' },
  SCHEMA_REGISTRY_PASSWORD: { kind: password, secret: true, meaning: "That user's password." },
  SCHEMA_REGISTRY_CA_FILE: {
    kind: certificates,
    file: true,
    meaning: 'Certificate authorities of the schema registry, besides the public ones.',
  },
} satisfies Variables;

export const certificateVariables = { title: 'Certificates', variables } satisfies VariableGroup;
