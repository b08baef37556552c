import { size, wholeNumber } from '../kinds/kind.ts';
import type { VariableGroup, Variables } from '../variable.ts';

const variables = {
  INTAKE_MAX_RECORDS: {
    kind: wholeNumber({ min: 4, max: 10_000_000 }),
    default: '10000',
    meaning:
      'How many unsettled records the process holds, a quarter of them for retries only. When it is full, reading pauses.',
  },
  INTAKE_MAX_BYTES: {
    kind: size({ min: 1024 ** 2, max: 64 * 1024 ** 3 }),
    default: '64MiB',
    meaning: 'How many bytes these records may have together, a quarter of them for retries only.',
  },
  INTAKE_MAX_SPAN: {
    kind: wholeNumber({ min: 1, max: 100_000_000 }),
    default: '50000',
    meaning:
      "How many offsets may lie between a partition's commit and its newest record. When it is full, that partition pauses. No crash repeats more records of a partition than this.",
  },
} satisfies Variables;

export const intakeVariables = { title: 'Intake', variables } satisfies VariableGroup;
