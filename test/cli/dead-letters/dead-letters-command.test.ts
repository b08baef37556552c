import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../../src/cli/command.ts';
import { isEmptySpan, resolveTimeArgument } from '../../../src/cli/terminal/time-argument.ts';
import { noConditions } from '../../../src/cli/listing/selection.ts';

describe('the arguments of dead-letters and redeliver', () => {
  it('are parsed into the verb, the filter and the options', () => {
    const words = 'dead-letters list --configuration c --owner o --certificate x --reason expired --limit 5 --json';
    expect(parseCommand(words.split(' '))).toEqual({
      kind: 'dead-letters',
      command: {
        verb: 'list',
        json: true,
        filter: { ...noConditions, webhookId: 'c', ownerId: 'o', certificateId: 'x', reason: 'expired', limit: 5 },
      },
    });
    expect(parseCommand('dead-letters replay --since 24h --until 2026-11-21T06:00:00+01:00'.split(' '))).toEqual({
      kind: 'dead-letters',
      command: {
        verb: 'replay',
        again: false,
        dryRun: false,
        filter: {
          ...noConditions,
          since: { kind: 'ago', durationMs: 86_400_000 },
          until: { kind: 'at', epochMs: Date.UTC(2026, 10, 21, 5) },
        },
      },
    });
    expect(parseCommand('redeliver --configuration c --since 1h --from a.b/3/17 --dry-run'.split(' '))).toEqual({
      kind: 'redeliver',
      command: {
        webhookId: 'c',
        since: { kind: 'ago', durationMs: 3_600_000 },
        until: undefined,
        from: { topic: 'a.b', partition: 3, offset: 17 },
        dryRun: true,
      },
    });
  });

  it.each([
    ['dead-letters', /takes list or replay, got: nothing/],
    ['dead-letters purge', /takes list or replay, got: purge/],
    ['dead-letters list --reason tired', /--reason is "tired": expected one of exhausted, expired, too_large, undec/],
    ['dead-letters list --limit 0', /--limit is "0": expected a whole number from 1/],
    ['dead-letters list --since 7d', /--since is "7d": expected an ISO 8601 time with its offset.*or a duration ago/],
    ['dead-letters list --until 2026-11-21T06:00:00', /--until is .*with its offset/],
    ['dead-letters list --again', /--again/],
    ['dead-letters list x', /'x'/],
    ['dead-letters replay --owner=', /--owner is empty/],
    ['redeliver --since 1h', /--configuration ID/],
    ['redeliver --configuration c', /--since TIME/],
    ['redeliver --configuration c --since 1h --from here', /--from is "here": expected TOPIC\/PARTITION\/OFFSET/],
  ])('are refused: %s', (words, problem) => {
    expect(parseCommand(words.split(' '))).toMatchObject({
      kind: 'invalid',
      problem: expect.stringMatching(problem) as string,
    });
  });
});

describe('a span of time', () => {
  const now = Date.UTC(2026, 10, 21);
  const ago = (durationMs: number) => ({ kind: 'ago', durationMs }) as const;
  const at = (epochMs: number) => ({ kind: 'at', epochMs }) as const;

  it('is empty if it ends at its beginning or before it', () => {
    expect(resolveTimeArgument(ago(1_000), now)).toBe(now - 1_000);
    expect(isEmptySpan(ago(2_000), at(now - 1_000), now)).toBe(false);
    expect(isEmptySpan(ago(2_000), ago(2_000), now)).toBe(true);
    expect(isEmptySpan(at(now), ago(1), now)).toBe(true);
    expect(isEmptySpan(at(now), undefined, now)).toBe(false);
  });
});
