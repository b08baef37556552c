import { describe, expect, it } from 'vitest';
import { PauseControl } from '../../../src/kafka/consumer/pause-control.ts';

const assigned = { completed: [0, 1], tier: [2] };

function create() {
  const calls: string[] = [];
  type Topics = readonly { readonly topic: string; readonly partitions?: readonly number[] }[];
  const note = (method: string) => (topics: Topics) =>
    topics.forEach(({ topic, partitions }) => calls.push(`${method} ${topic} ${partitions?.join()}`));
  const gone: string[] = [];
  const noteGone = ({ topic, partitions }: { topic: string; partitions: readonly number[] }) =>
    gone.push(`${topic} ${partitions.join()}`);
  const denied: string[] = [];
  const control = new PauseControl(
    { pause: note('pause'), resume: note('resume') },
    { topicGone: noteGone, topicDenied: ({ topic }) => void denied.push(topic) },
  );
  return { control, calls, gone, denied };
}

describe('PauseControl', () => {
  it('keeps a topic paused while it is gone, although it is to be resumed', () => {
    const { control, calls } = create();
    control.exclude({ gone: ['tier'], denied: [] }, assigned);
    control.resume(assigned);
    control.exclude({ gone: [], denied: [] }, assigned);
    expect(calls).toEqual(['pause tier 2', 'resume completed 0,1', 'resume tier 2']);
  });

  it('reports a topic once when it is gone, and once more when it is gone again', () => {
    const { control, gone } = create();
    for (const topics of [['tier'], ['tier'], [], ['tier']]) control.exclude({ gone: topics, denied: [] }, assigned);
    expect(gone).toEqual(['tier 2', 'tier 2']);
  });

  it('keeps a denied topic paused, and reports it once, until it may be read', () => {
    const { control, calls, denied } = create();
    for (let check = 0; check < 3; check += 1) control.exclude({ gone: [], denied: ['tier'] }, assigned);
    control.resume(assigned);
    control.exclude({ gone: [], denied: [] }, assigned);
    expect(denied).toEqual(['tier']);
    expect(calls.filter((call) => call.startsWith('resume'))).toEqual(['resume completed 0,1', 'resume tier 2']);
  });

  it('keeps a topic paused that comes back and may not be read', () => {
    const { control, calls } = create();
    control.exclude({ gone: ['tier'], denied: [] }, assigned);
    control.exclude({ gone: [], denied: ['tier'] }, assigned);
    expect(calls.filter((call) => call.startsWith('resume'))).toEqual([]);
  });
});
