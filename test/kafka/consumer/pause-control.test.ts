import { describe, expect, it } from 'vitest';
import { PauseControl } from '../../../src/kafka/consumer/pause-control.ts';

const assigned = { completed: [0, 1], tier: [2] };

function create() {
  const turned: string[] = [];
  type Turned = readonly { readonly topic: string; readonly partitions?: readonly number[] }[];
  const note = (to: string) => (which: Turned) =>
    which.forEach(({ topic, partitions }) => turned.push(`${to} ${topic} ${partitions?.join()}`));
  const gone: string[] = [];
  const tellGone = ({ topic, partitions }: { topic: string; partitions: readonly number[] }) =>
    gone.push(`${topic} ${partitions.join()}`);
  const reading = new PauseControl({ pause: note('pause'), resume: note('resume') }, tellGone);
  return { reading, turned, gone };
}

describe('the reading switch', () => {
  it('turns partitions off and on', () => {
    const { reading, turned } = create();
    reading.turn('pause', assigned);
    reading.turn('resume', assigned);
    expect(turned).toEqual(['pause completed 0,1', 'pause tier 2', 'resume completed 0,1', 'resume tier 2']);
  });

  it('leaves a topic off while it is gone, whoever would turn it on', () => {
    const { reading, turned } = create();
    reading.exclude(['tier'], assigned);
    reading.turn('resume', assigned);
    reading.exclude([], assigned);
    expect(turned).toEqual(['pause tier 2', 'resume completed 0,1', 'resume tier 2']);
  });

  it('tells once that a topic is gone, and again when it goes again', () => {
    const { reading, gone } = create();
    for (const topics of [['tier'], ['tier'], [], ['tier']]) reading.exclude(topics, assigned);
    expect(gone).toEqual(['tier 2', 'tier 2']);
  });

  it('turns nothing while the topics are there', () => {
    const { reading, turned } = create();
    reading.exclude([], assigned);
    expect(turned).toEqual([]);
  });
});
