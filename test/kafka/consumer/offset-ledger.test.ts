import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OffsetLedger, type LedgerEntry } from '../../../src/kafka/consumer/offset-ledger.ts';
import { decodeSettled, encodeSettled } from '../../../src/kafka/consumer/commits/commit-metadata.ts';

describe('OffsetLedger', () => {
  it('passes a compacted gap together with the record before it', () => {
    const ledger = new OffsetLedger(0);
    const first = ledger.admit(0);
    const second = ledger.admit(40);
    settleAll(ledger, [first]);
    expect(ledger.position).toBe(40);
    settleAll(ledger, [second]);
    ledger.skipTo(50);
    expect(ledger.position).toBe(50);
  });

  it('measures its span from the commit, not from the position', () => {
    const ledger = new OffsetLedger(0);
    settleAll(ledger, [ledger.admit(0), ledger.admit(1)]);
    expect(ledger.span).toBe(2);
    ledger.confirm(ledger.state);
    expect(ledger.span).toBe(0);
  });

  it('throws on wrong calls', () => {
    const ledger = new OffsetLedger(5);
    const entry = ledger.admit(5);
    expect(() => ledger.admit(5)).toThrow('offset 5 is admitted after 5');
    expect(() => ledger.confirm({ position: 6, changes: 0 })).toThrow('passes what is settled');
    settleAll(ledger, [entry]);
    expect(() => ledger.settle(entry)).toThrow('settled twice');
  });

  it('never passes an unsettled record or goes back, whatever the order of calls', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('admit', 'settle', 'skip', 'commit'), fc.nat(20))), (steps) => {
        const ledger = new OffsetLedger(100);
        const unsettled = new Map<number, LedgerEntry>();
        let next = 100;
        let lastPosition = 100;
        for (const [step, number] of steps) {
          if (step === 'admit') unsettled.set(next + number, ledger.admit(next + number));
          if (step === 'admit' || step === 'skip') next += number + (step === 'admit' ? 1 : 0);
          if (step === 'skip') ledger.skipTo(next);
          if (step === 'settle') settleNth(ledger, unsettled, number);
          if (step === 'commit') ledger.confirm(ledger.state);
          expect(ledger.position).toBe(Math.min(next, ...unsettled.keys()) === next ? next : passed(unsettled, ledger));
          expect(ledger.position).toBeGreaterThanOrEqual(lastPosition);
          expect(ledger.unsettled).toBe(unsettled.size);
          expect(ledger.next).toBe(next);
          lastPosition = ledger.position;
        }
      }),
    );
  });

  it('returns the settled ranges above the position, and counts them as uncommitted until they are confirmed', () => {
    const ledger = new OffsetLedger(0);
    const entries = [0, 1, 2, 3, 4].map((offset) => ledger.admit(offset));
    settleAll(ledger, [entries[1], entries[2], entries[4]]);
    expect(ledger.settledAbove()).toEqual([
      { start: 1, end: 3 },
      { start: 4, end: 5 },
    ]);
    expect(ledger.hasUncommitted).toBe(true);
    ledger.confirm(ledger.state);
    expect(ledger.hasUncommitted).toBe(false);
    settleAll(ledger, [entries[3]]);
    expect(ledger.hasUncommitted).toBe(true);
  });

  it('keeps the ranges of an earlier assignment, whether they were read again or not', () => {
    const ledger = new OffsetLedger(10, [
      { start: 12, end: 14 },
      { start: 20, end: 30 },
    ]);
    ledger.admit(10);
    ledger.admit(11);
    for (const offset of [12, 13]) {
      expect(ledger.wasSettled(offset)).toBe(true);
      ledger.admitSettled(offset);
    }
    expect(ledger.wasSettled(14)).toBe(false);
    expect(ledger.settledAbove()).toEqual([
      { start: 12, end: 14 },
      { start: 20, end: 30 },
    ]);
  });

  it('passes everything settled to the next assignment, and nothing else, over any number of assignments', () => {
    const log = fc.uniqueArray(fc.nat(80)).map((offsets) => offsets.toSorted((one, other) => one - other));
    const assignments = fc.array(fc.array(fc.boolean(), { maxLength: 60 }), { maxLength: 6 });
    fc.assert(
      fc.property(log, assignments, (offsets, choices) => {
        const settled = new Set<number>();
        let commit = { position: 0, metadata: '' };
        for (const settles of choices) {
          const ledger = new OffsetLedger(commit.position, decodeSettled(commit.position, commit.metadata));
          const read = offsets.filter((offset) => offset >= commit.position).slice(0, settles.length);
          for (const [index, offset] of read.entries()) readOne(ledger, offset, settled, settles[index] === true);
          commit = { position: ledger.position, metadata: encodeSettled(ledger.position, ledger.settledAbove()) };
          expect(offsets.filter((offset) => offset < commit.position && !settled.has(offset))).toEqual([]);
        }
      }),
    );
  });
});

/** Reads one record as `Admission` does. Fails if the ledger does not know whether it is settled. */
function readOne(ledger: OffsetLedger, offset: number, settled: Set<number>, settles: boolean): void {
  expect(ledger.wasSettled(offset)).toBe(settled.has(offset));
  if (settled.has(offset)) return ledger.admitSettled(offset);
  const entry = ledger.admit(offset);
  if (!settles) return;
  ledger.settle(entry);
  settled.add(offset);
}

/** Returns the position, which is at or below the lowest unsettled record. */
function passed(unsettled: ReadonlyMap<number, LedgerEntry>, ledger: OffsetLedger): number {
  const lowest = Math.min(...unsettled.keys());
  expect(ledger.position).toBeLessThanOrEqual(lowest);
  expect(ledger.oldest?.offset).toBe(lowest);
  return ledger.position;
}

function settleNth(ledger: OffsetLedger, unsettled: Map<number, LedgerEntry>, number: number): void {
  const found = [...unsettled][number % Math.max(1, unsettled.size)];
  if (found === undefined) return;
  const [offset, entry] = found;
  unsettled.delete(offset);
  ledger.settle(entry);
}

function settleAll(ledger: OffsetLedger, entries: readonly (LedgerEntry | undefined)[]): void {
  for (const entry of entries) if (entry !== undefined) ledger.settle(entry);
}
