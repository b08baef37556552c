import { z } from 'zod';
import type { RecordRead } from '../../support/kafka/records.ts';

const result = z.object({
  type: z.string(),
  at: z.string(),
  configurationId: z.string(),
  deliveryId: z.string(),
  attempt: z.number(),
  outcome: z.string().optional(),
  status: z.number().optional(),
  settlement: z.string().optional(),
  reason: z.string().optional(),
});

/** One record of the results topic that tells of a delivery. */
export type Result = Readonly<z.infer<typeof result>>;

/** Keeps fields that this demo does not know. Throws for a record of another form. */
export function parseResult({ value }: Pick<RecordRead, 'value'>): Result {
  return result.loose().parse(JSON.parse(value?.toString('utf8') ?? 'null'));
}
