import { describe, expect, it } from 'vitest';
import { clusterOfThree } from './experiment/cluster-of-three.ts';
import { startExperiment } from './experiment/experiment.ts';
import type { Behaviour } from './receiver/messages.ts';
import { readScale } from './experiment/scale.ts';

const scale = readScale();
const started = clusterOfThree();

/** Of the first webhooks, each with a door of its own, from the second door on. */
const sicknesses: readonly Behaviour[] = [
  'refuse',
  'hang_before_tls',
  'hang_in_tls',
  'hang_before_head',
  'hang_in_head',
  'hang_in_body',
  'reset',
  'garbage',
  'error',
];

const quickToGiveUp = {
  DELIVERY_TIMEOUT: '4s',
  DELIVERY_CONNECT_TIMEOUT: '3s',
  CIRCUIT_FAILURES: '10',
  CIRCUIT_COOLDOWN: '1s',
};

describe('the service', () => {
  it('serves the healthy while endpoints refuse, hang, reset and answer garbage, and those once they recover', async ({
    task,
  }) => {
    const fault = `nine of a hundred endpoints refuse, hang in each phase, reset, answer garbage, fail, for ${scale.sicknessMs / 1000} s`;
    await using experiment = await startExperiment({
      fault,
      task,
      scale,
      cluster: started(),
      environment: quickToGiveUp,
      owners: 80,
      doors: ['healthy', ...sicknesses.map(() => 'healthy' as const)],
      doorOf: (webhookIndex) => (webhookIndex < sicknesses.length ? webhookIndex + 1 : 0),
    });
    const { receiver, webhookIds } = experiment;
    await experiment.startInstances(2);
    await experiment.lasts(2000);
    await Promise.all(sicknesses.map(async (sickness, index) => receiver.behave(index + 1, sickness)));
    await experiment.lasts(scale.sicknessMs);
    await Promise.all(sicknesses.map(async (_, index) => receiver.behave(index + 1, 'healthy')));
    await experiment.lasts(3000);
    // Three tiers are over after some eight seconds: whoever failed for longer may have deliveries buried.
    const sick = new Set(webhookIds.slice(0, sicknesses.length));
    expect(await experiment.violations({ sick, stallAtMostMs: 5000 })).toEqual([]);
  });
});
