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

/** One attempt, as the service's log tells it. */
export type Attempt = Readonly<z.infer<typeof attempted>>;

/** Undefined for a line about something else. */
export function attemptOf(line: unknown): Attempt | undefined {
  return attempted.safeParse(line).data;
}
