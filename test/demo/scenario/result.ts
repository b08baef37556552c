import { z } from 'zod';
import type { RecordRead } from '../../support/kafka/records.ts';

/** The fields of the results topic that the demo shows. */
const result = z.looseObject({
  type: z.string(),
  at: z.string(),
  configurationId: z.string(),
  deliveryId: z.string().optional(),
  attempt: z.number().optional(),
  outcome: z.string().optional(),
  status: z.number().optional(),
  settlement: z.string().optional(),
  reason: z.string().optional(),
});

export type Result = Readonly<z.infer<typeof result>>;

/** Throws for a record of another form. */
export function parseResults(records: readonly Pick<RecordRead, 'value'>[]): readonly Result[] {
  return records.map(({ value }) => result.parse(JSON.parse(value?.toString('utf8') ?? 'null')));
}
