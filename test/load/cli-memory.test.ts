import { describe, expect, it } from 'vitest';
import type { Environment } from '../../src/settings.ts';
import { startPlatform, webhookAt } from '../support/service/platform.ts';
import { deadDelivery, theDelivery, writeDeadLetters } from '../cli/dead-letters/dead-letters.ts';
import { run } from '../cli/program.ts';

/** The most that a command may take beside the service in its container. */
const maxResidentKiB = 128 * 1024;
const count = 50_000;
const configurations = 20_000;

/** Prints the peak of the program's resident memory when it exits. `resourceUsage` would count its parent's too. */
const printPeak = `
  import { readFileSync, writeSync } from 'node:fs';
  process.on('exit', () => writeSync(2, /VmHWM:.*/.exec(readFileSync('/proc/self/status', 'utf8'))[0] + '\\n'));
`;
const printingPeak: Environment = {
  // With it a command would take 30 MiB less than for a user.
  NODE_DISABLE_COMPILE_CACHE: '1',
  NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(printPeak).toString('base64')}`,
};

describe.runIf(process.platform === 'linux')('the peak memory of a command', () => {
  it(`stays within ${maxResidentKiB / 1024} MiB for ${count} dead letters`, async () => {
    await using platform = await startPlatform();
    const { kafka, topics, environment } = platform;
    for (let at = 0; at < count; at += 5_000) {
      const letters = Array.from({ length: 5_000 }, (_, index) =>
        deadDelivery(theDelivery(topics.completed, at + index)),
      );
      await writeDeadLetters(kafka, topics.deadLetters, letters);
    }
    const { code, err } = await run({ ...environment, ...printingPeak }, 'dead-letters', 'list', '--limit', '5');
    expect(code).toBe(0);
    expect(err).toContain('dead letters: 5, replayed: 0');
    expect(peakKiB(err)).toBeLessThanOrEqual(maxResidentKiB);
    const explained = await run({ ...environment, ...printingPeak }, 'explain', '--certificate', 'certificate-7');
    expect([explained.code, explained.out.length]).toEqual([0, 4]);
    expect(peakKiB(explained.err)).toBeLessThanOrEqual(maxResidentKiB);
  });

  it(`stays within ${maxResidentKiB / 1024} MiB for try, among ${configurations} configurations`, async () => {
    await using platform = await startPlatform();
    const { environment } = platform;
    for (let at = 0; at < configurations; at += 1_000) {
      const ids = Array.from({ length: 1_000 }, (_, index) => `webhook-${at + index}`);
      await platform.configure(...ids.map((id) => webhookAt(platform, `/${id}`, { _id: id })));
    }
    const { code, err } = await run({ ...environment, ...printingPeak }, 'try', 'webhook-7');
    expect(code).toBe(0);
    expect(peakKiB(err)).toBeLessThanOrEqual(maxResidentKiB);
  });
});

function peakKiB(err: readonly string[]): number {
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(err.join('\n'))?.[1]);
}
