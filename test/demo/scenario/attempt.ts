import { z } from 'zod';

const attempted = z.object({
  event: z.literal('delivery.attempted'),
  configurationId: z.string(),
  certificateId: z.string(),
  deliveryId: z.string(),
  attempt: z.number(),
  outcome: z.string(),
  status: z.number().optional(),
  settlement: z.string(),
  tier: z.string().optional(),
});

/** One attempt, as logged by the service. */
export type Attempt = Readonly<z.infer<typeof attempted>>;

/** Returns undefined for a line of another event. */
export function parseAttempt(line: unknown): Attempt | undefined {
  return attempted.safeParse(line).data;
}
