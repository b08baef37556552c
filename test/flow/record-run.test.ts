import { expect, it } from 'vitest';
import { RecordRun } from '../../src/flow/record-run.ts';
import { aFlowControl } from '../support/service/flow-control.ts';
import { ScriptedCursor } from './support/scripted-cursor.ts';
import { TurnClock } from './support/turn-clock.ts';

it('a record starts its deliveries once and ends once, so that no other record is counted for it', () => {
  const flow = aFlowControl(new TurnClock());
  const partition = flow.openPartition();
  const record = new RecordRun(partition, 7);
  record.start(new ScriptedCursor(1));
  expect(() => record.start(new ScriptedCursor(1))).toThrow('that is planned');
  record.release();
  expect(() => record.release()).toThrow('that has ended');
  expect(() => record.start(new ScriptedCursor(1))).toThrow('that is ended');
  expect(partition.counts).toMatchObject({ records: 0, bytes: 0 });
});
