import { z } from 'zod';
import type { RecordRead } from '../../support/kafka/records.ts';

const base = z.object({ at: z.string(), configurationId: z.string() });

const endpointChange = base.extend({
  type: z.literal('endpoint.changed'),
  from: z.string(),
  to: z.string(),
  failures: z.number(),
  since: z.string().optional(),
});

const result = base.extend({
  type: z.string().regex(/^delivery\./),
  deliveryId: z.string(),
  attempt: z.number(),
  outcome: z.string().optional(),
  status: z.number().optional(),
  settlement: z.string().optional(),
  reason: z.string().optional(),
});

/** One record of the results topic that tells of a delivery. */
export type Result = Readonly<z.infer<typeof result>>;
/** One record of the results topic that tells of the circuit of an endpoint. */
export type EndpointChange = Readonly<z.infer<typeof endpointChange>>;

/** The records of a results topic, by what they tell of. */
export interface Results {
  readonly results: readonly Result[];
  readonly changes: readonly EndpointChange[];
}

/** Keeps fields that this demo does not know. Throws for a record of another form. */
export function parseResults(records: readonly Pick<RecordRead, 'value'>[]): Results {
  const values = records.map(({ value }): unknown => JSON.parse(value?.toString('utf8') ?? 'null'));
  const isChange = (value: unknown): boolean => endpointChange.safeParse(value).success;
  return {
    results: values.filter((value) => !isChange(value)).map((value) => result.loose().parse(value)),
    changes: values.filter(isChange).map((value) => endpointChange.loose().parse(value)),
  };
}
