import { size, wholeNumber } from '../kinds/kind.ts';
import type { Variables } from '../variable.ts';

export const intakeVariables = {
  INTAKE_MAX_RECORDS: {
    kind: wholeNumber({ min: 4, max: 10_000_000 }),
    default: '10000',
    description:
      'The maximum of unsettled records in the process, and of deliveries that are started and not settled. A quarter is only for retries. A partition pauses once it has used up its share.',
  },
  INTAKE_MAX_BYTES: {
    kind: size({ min: 1024 ** 2, max: 64 * 1024 ** 3 }),
    default: '64MiB',
    description:
      'The maximum size of the unsettled records together. Each counts its content, and 400 bytes for a header. Their number has a limit of its own. A quarter is only for retries.',
  },
  RECORD_MAX_BYTES: {
    kind: size({ min: 1024, max: 64 * 1024 ** 2 }),
    default: '8MiB',
    description:
      'The largest value of a certificate record after decompression. A record with a larger one becomes a dead letter, `too_large`.',
  },
  INTAKE_MAX_SPAN: {
    kind: wholeNumber({ min: 1, max: 100_000_000 }),
    default: '50000',
    description:
      "The maximum distance between a partition's committed offset and its newest record read. When it is reached, that partition pauses. A crash repeats at most this many records of a partition.",
  },
} satisfies Variables;
