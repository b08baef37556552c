import { beforeAll, describe, expect, it } from 'vitest';
import { produce } from '../../support/kafka/records.ts';
import { aConfiguration, aCertificateDocument, json } from '../../support/builders.ts';
import { startPlatform, type Platform } from '../../support/service/platform.ts';
import { printedCount, run, runHere } from '../program.ts';

const noon = Date.UTC(2026, 10, 1, 12);
const minute = 60_000;

describe('redeliver', () => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await startPlatform({ delays: ['10s'], partitions: 2 });
    const { kafka, topics } = platform;
    await platform.configure(
      aConfiguration({ _id: 'mine', events: ['certificate_completed'] }),
      aConfiguration({ _id: 'another of the owner' }),
      aConfiguration({ _id: 'paused', paused: true }),
      aConfiguration({ _id: 'disabled', enabled: false }),
      aConfiguration({ _id: 'refused', url: 'http://not.tls' }),
    );
    // Minutes after noon. The second partition is not in the order of timestamps.
    const first = [0, 1, 2, 3].map((at) => certificate(at, 0));
    const second = [7, 5, 1, 6].map((at) => certificate(at, 1));
    await produce(kafka, topics.completed, [
      ...first,
      ...second,
      { value: json({ no: 'certificate' }), timestamp: noon + minute, partition: 1 },
      { value: null, timestamp: noon + minute, partition: 1 },
      { ...certificate(1, 1), value: json(aCertificateDocument({ _ownerId: 'another owner' })) },
    ]);
    await produce(kafka, topics.expired, [certificate(1, 0)]);
    return async () => platform[Symbol.asyncDispose]();
  });

  function certificate(at: number, partition: number) {
    return { value: json(aCertificateDocument({ _id: `c${at}` })), timestamp: noon + at * minute, partition };
  }
  const redeliver = (...args: readonly string[]) =>
    runHere(platform.environment, 'redeliver', '--configuration', 'mine', ...args);
  const span = ['--since', '2026-11-01T12:01:00Z', '--until', '2026-11-01T12:06:00Z'];

  it('writes the deliveries of the time range to the first tier, with their original ids', async () => {
    const dry = await redeliver(...span, '--dry-run');
    expect(printedCount(dry, 'deliveries to be put into the first tier')).toBe(5);
    expect(await platform.tier('10s')).toEqual([]);

    const { code, out } = await run(platform.environment, 'redeliver', '--configuration', 'mine', ...span);
    expect([code, out]).toEqual([
      0,
      [
        'records of that time: 9',
        'deliveries put into the first tier: 5',
        'left out: 4',
        '  invalid_record: 1',
        '  meant for nobody: 1',
        "  another owner's: 1",
        '  an event that it does not want: 1',
      ],
    ]);
    const topic = platform.topics.completed;
    const written = await platform.tier('10s');
    expect(written.map(({ headers }) => headers['delivery-id'])).toEqual([
      `${topic}/0/1/mine`,
      `${topic}/0/2/mine`,
      `${topic}/0/3/mine`,
      `${topic}/1/1/mine`,
      `${topic}/1/2/mine`,
    ]);
    expect(written[0]?.headers).toMatchObject({ attempt: '0', 'certificate-id': 'c1', 'source-offset': '1' });
    expect(written[0]?.value).toEqual(certificate(1, 0).value);
  });

  it('continues from the position that an earlier run printed', async () => {
    const from = `${platform.topics.completed}/1/2`;
    expect(printedCount(await redeliver(...span, '--from', from, '--dry-run'), 'records of that time')).toBe(5);
    const { code, err } = await redeliver(...span, '--from', 'elsewhere/0/1');
    expect([code, err.at(-1)]).toEqual([2, expect.stringContaining('--from is elsewhere/0/1')]);
  });

  it.each([
    ['unknown', 'there is no configuration unknown'],
    ['paused', 'the configuration paused is paused'],
    ['disabled', 'the configuration disabled is not enabled'],
    ['refused', 'the configuration refused is refused'],
  ])('ends with 2 for %s', async (id, problem) => {
    const { code, err } = await runHere(platform.environment, 'redeliver', '--configuration', id, '--since', '1h');
    expect([code, err.at(-1)]).toEqual([2, expect.stringContaining(problem)]);
  });
});
