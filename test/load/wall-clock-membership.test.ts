import { describe, expect, it } from 'vitest';
import { certificates, startPlatform, webhookAt, type Platform } from '../support/service/platform.ts';
import { ServiceProcess } from '../support/service/service-process.ts';

const preload = new URL('../support/time/wall-clock-preload.ts', import.meta.url).href;
const hourMs = 3_600_000;
const sessionMs = 3000;

function environmentOf(shiftMs: number): NodeJS.ProcessEnv {
  return {
    KAFKA_SESSION_TIMEOUT: `${sessionMs}ms`,
    NODE_OPTIONS: `--import=${preload}`,
    WALL_CLOCK_SHIFT_MS: String(shiftMs),
  };
}

describe.each([
  { how: 'back', shiftMs: -hourMs },
  { how: 'forward', shiftMs: hourMs },
  { how: 'forward by two days', shiftMs: 48 * hourMs },
])('an instance whose wall clock is set $how', ({ shiftMs }) => {
  it('stays a member of its groups and delivers', async () => {
    await using platform = await startPlatform({ environment: environmentOf(shiftMs) });
    await platform.configure(webhookAt(platform, '/hook'));
    await using instance = new ServiceProcess(platform.environment);
    await instance.ready();
    await platform.complete(...certificates(1));
    await platform.endpoint.received(1);
    instance.signal('SIGUSR2');
    const requests = await deliverFor(3 * sessionMs, platform);

    // Each certificate is delivered once: no rebalance has cut anything off.
    expect(platform.endpoint.requests).toHaveLength(requests);
    await instance.logged('consumer.joined', 2);
    expect(instance.output.filter((line) => line.includes('"consumer.joined"'))).toHaveLength(2);
  });
});

/** Writes the next certificate when the one before has been delivered, for that long. Returns the number of requests. */
async function deliverFor(ms: number, platform: Platform): Promise<number> {
  const { endpoint } = platform;
  let requests = endpoint.requests.length;
  for (const startedAt = performance.now(); performance.now() - startedAt < ms;) {
    await platform.complete(...certificates(1));
    requests += 1;
    await endpoint.received(requests);
  }
  return requests;
}
