import { z } from 'zod';

const logLine = z.looseObject({ event: z.string(), level: z.string() });

const attempted = z.object({
  event: z.literal('delivery.attempted'),
  configurationId: z.string(),
  deliveryId: z.string(),
  attempt: z.number(),
  outcome: z.string(),
  status: z.number().optional(),
  settlement: z.string(),
  tier: z.string().optional(),
});

/** One attempt, as logged by the service. */
export type Attempt = Readonly<z.infer<typeof attempted>>;

/** The log of the service so far. */
export class ServiceLog {
  /** All lines as they were written. */
  readonly text: string[] = [];
  readonly lines: z.infer<typeof logLine>[] = [];
  readonly attempts: Attempt[] = [];
  /** Lines that are not a JSON object with a level and an event. */
  readonly unreadable: string[] = [];

  add(text: string): void {
    this.text.push(text);
    const line = logLine.safeParse(parseJson(text)).data;
    if (line === undefined) return void this.unreadable.push(text);
    this.lines.push(line);
    this.attempts.push(...[attempted.safeParse(line).data].filter((attempt) => attempt !== undefined));
  }
}

/** Returns a line of the log as time, level, event and the other fields. Other text stays as it is. */
export function shortLine(text: string): string {
  const line = logLine.safeParse(parseJson(text)).data;
  if (line === undefined) return text;
  const { time, level, event, service: _service, version: _version, ...others } = line;
  return [String(time).slice(11, 23), level.padEnd(5), event, JSON.stringify(others)].join(' ');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
