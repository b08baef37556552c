import { describe, expect, it } from 'vitest';
import { ScriptedCursor } from '../flow/support/scripted-cursor.ts';
import { TurnClock } from '../flow/support/turn-clock.ts';
import { bytesPer } from '../support/resources/memory.ts';
import { RecordRun } from '../../src/flow/partition.ts';
import { aFlowControl } from '../support/service/flow-control.ts';

describe('the flow of a partition', () => {
  it('keeps nothing of owners whose last delivery became late outside a waiting room', async () => {
    const clock = new TurnClock();
    const partition = aFlowControl(clock).openPartition();
    const bytes = await bytesPer(50_000, () => {
      for (let owner = 0; owner < 50_000; owner += 1) {
        const cursor = new ScriptedCursor(1, { ownerId: `owner ${owner}` });
        new RecordRun(partition, 1).start(cursor);
        const [delivery] = cursor.started;
        delivery?.markOutsideRoom(true);
        delivery?.leaveWindow();
        delivery?.markOutsideRoom(false);
        delivery?.end();
        clock.turnUntilIdle();
      }
    });
    expect(bytes).toBeLessThan(20);
  });
});
