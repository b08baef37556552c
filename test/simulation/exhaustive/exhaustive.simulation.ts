import { describe, expect, it } from 'vitest';
import { mutants } from '../mutants/mutants.ts';
import { describeCounterexample, explore } from './explore.ts';

/** Known bugs that can't show in the world, and why. */
const invisible: Readonly<Record<string, string>> = {
  'every retry goes to the first tier': 'there is one tier',
  'reading does not stop at the limit': 'there are fewer records than the limit',
  'a webhook may have one more attempt a minute than its limit': 'no webhook has a limit',
  'a webhook may have one more request at once than its limit': 'no webhook has a limit',
  'a running process drops the webhooks that a configurations topic lacks that was created again':
    'the topic is not deleted',
  'a process that starts in a refill takes the configurations topic for complete': 'the topic is not deleted',
  'plans do not wait for the schema of a webhook whose owner is not known': 'no configuration has a schema',
  'durations are measured by the wall clock': 'waits end within seconds, whatever the clock says',
  'a delivery never ends': 'it shows in every twentieth record',
};

/** In ms. A run takes 20 ms of processor time, and there are some hundred. */
const timeout = 300_000;

describe('a small world', () => {
  it('keeps all promises, whatever goes another way once', { timeout }, async () => {
    const { runs, counterexamples } = await explore({ depth: 1 });
    expect(counterexamples.map(describeCounterexample)).toEqual([]);
    expect(runs).toBeGreaterThan(200);
  });

  it.each(mutants.filter(({ name }) => invisible[name] === undefined))(
    'shows by one deviation at most that $name',
    { timeout },
    async (mutant) => {
      const { counterexamples } = await explore({ depth: 1, mutant });
      expect(counterexamples).toHaveLength(1);
    },
  );
});
