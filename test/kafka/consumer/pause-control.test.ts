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
  const control = new PauseControl({ pause: note('pause'), resume: note('resume') }, noteGone);
  return { control, calls, gone };
}

describe('PauseControl', () => {
  it('pauses and resumes partitions', () => {
    const { control, calls } = create();
    control.pause(assigned);
    control.resume(assigned);
    expect(calls).toEqual(['pause completed 0,1', 'pause tier 2', 'resume completed 0,1', 'resume tier 2']);
  });

  it('keeps a topic paused while it is gone, although it is to be resumed', () => {
    const { control, calls } = create();
    control.exclude(['tier'], assigned);
    control.resume(assigned);
    control.exclude([], assigned);
    expect(calls).toEqual(['pause tier 2', 'resume completed 0,1', 'resume tier 2']);
  });

  it('reports a topic once when it is gone, and once more when it is gone again', () => {
    const { control, gone } = create();
    for (const topics of [['tier'], ['tier'], [], ['tier']]) control.exclude(topics, assigned);
    expect(gone).toEqual(['tier 2', 'tier 2']);
  });

  it('changes nothing while all topics exist', () => {
    const { control, calls } = create();
    control.exclude([], assigned);
    expect(calls).toEqual([]);
  });
});
