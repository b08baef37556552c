import { describe, expect, it } from 'vitest';
import { certificates, startPlatform, webhookAt } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';

const preload = new URL('../../support/time/wall-clock-preload.ts', import.meta.url).href;
const hourMs = 3_600_000;

describe.each([
  { how: 'back', shiftMs: -hourMs },
  { how: 'forward', shiftMs: hourMs },
  { how: 'forward by two days', shiftMs: 48 * hourMs },
])('an instance whose wall clock is set $how', ({ shiftMs }) => {
  it('attempts a delivery that waits in a tier after its delay, and goes on to deliver', async () => {
    await using platform = await startPlatform({
      delays: ['500ms', '600ms', '700ms'],
      environment: { NODE_OPTIONS: `--import=${preload}`, WALL_CLOCK_SHIFT_MS: String(shiftMs) },
    });
    platform.endpoint.script('/hook', 500, 500, 500, 200);
    await platform.configure(webhookAt(platform, '/hook'));
    await using instance = new ServiceProcess(platform.environment);
    await instance.ready();
    await platform.complete(...certificates(1));
    await instance.logged('delivery.attempted', 1);
    instance.signal('SIGUSR2');
    const attempts = await instance.logged('delivery.attempted', 4);
    expect(attempts.at(-1)).toMatchObject({ attempt: 4, outcome: 'delivered' });
    await platform.complete(...certificates(1));
    const [, , , , next] = await instance.logged('delivery.attempted', 5);
    expect(next).toMatchObject({ attempt: 1, outcome: 'delivered' });
  });
});
