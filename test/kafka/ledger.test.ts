import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OffsetLedger, type LedgerEntry } from '../../src/kafka/ledger.ts';

describe('OffsetLedger', () => {
  it('commits nothing past the first gap', () => {
    const ledger = new OffsetLedger(10);
    const [first, second, third] = [10, 11, 12].map((offset) => ledger.admit(offset));
    settleAll(ledger, [second, third]);
    expect(ledger.position).toBe(10);
    settleAll(ledger, [first]);
    expect(ledger.position).toBe(13);
  });

  it('passes what compaction took away with the record before it', () => {
    const ledger = new OffsetLedger(0);
    const first = ledger.admit(0);
    const second = ledger.admit(40);
    settleAll(ledger, [first]);
    expect(ledger.position).toBe(40);
    settleAll(ledger, [second]);
    ledger.skipTo(50);
    expect(ledger.position).toBe(50);
  });

  it('waits for the records before a stretch without records', () => {
    const ledger = new OffsetLedger(0);
    const first = ledger.admit(0);
    ledger.skipTo(100);
    expect(ledger.position).toBe(0);
    expect(ledger.next).toBe(100);
    settleAll(ledger, [first]);
    expect(ledger.position).toBe(100);
  });

  it('tells the record that holds the position back', () => {
    const ledger = new OffsetLedger(5);
    const first = ledger.admit(5, 1111);
    ledger.admit(6, 2222);
    expect(ledger.oldest).toMatchObject({ offset: 5, timestamp: 1111 });
    settleAll(ledger, [first]);
    expect(ledger.oldest).toMatchObject({ offset: 6, timestamp: 2222 });
  });

  it('measures its span from the commit, not from what is settled', () => {
    const ledger = new OffsetLedger(0);
    settleAll(ledger, [ledger.admit(0), ledger.admit(1)]);
    expect(ledger.span).toBe(2);
    ledger.confirm(2);
    expect(ledger.span).toBe(0);
  });

  it('stops on what can only be a fault of ours', () => {
    const ledger = new OffsetLedger(5);
    const entry = ledger.admit(5);
    expect(() => ledger.admit(5)).toThrow('offset 5 is admitted after 5');
    expect(() => ledger.confirm(6)).toThrow('passes what is settled');
    settleAll(ledger, [entry]);
    expect(() => ledger.settle(entry)).toThrow('settled twice');
  });

  it('never passes an unsettled record nor goes back, whatever the order', () => {
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
          if (step === 'commit') ledger.confirm(ledger.position);
          expect(ledger.position).toBe(Math.min(next, ...unsettled.keys()) === next ? next : passed(unsettled, ledger));
          expect(ledger.position).toBeGreaterThanOrEqual(lastPosition);
          expect(ledger.committed).toBeLessThanOrEqual(ledger.position);
          expect(ledger.unsettled).toBe(unsettled.size);
          expect(ledger.next).toBe(next);
          lastPosition = ledger.position;
        }
      }),
    );
  });
});

/** With a record unsettled the position is at or below it, and nothing but settled records lies below the position. */
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
