import { describe, expect, it } from 'vitest';
import { clusterOfThree } from './experiment/cluster-of-three.ts';
import { startExperiment } from './experiment/experiment.ts';
import type { Behaviour } from './receiver/messages.ts';
import { readScale } from './experiment/scale.ts';

const scale = readScale();
const getCluster = clusterOfThree();

/** The failure of each of the first webhooks. Each has its own endpoint, from the second endpoint on. */
const failures: readonly Behaviour[] = [
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
  it('delivers to healthy endpoints while others fail in every way, and to those after they recover', async ({
    task,
  }) => {
    const fault = `nine of a hundred endpoints refuse, hang in each phase, reset, answer garbage, fail, for ${scale.failureMs / 1000} s`;
    await using experiment = await startExperiment({
      fault,
      task,
      scale,
      cluster: getCluster(),
      environment: quickToGiveUp,
      owners: 80,
      endpoints: ['healthy', ...failures.map(() => 'healthy' as const)],
      endpointOf: (webhookIndex) => (webhookIndex < failures.length ? webhookIndex + 1 : 0),
    });
    const { receiver, webhookIds } = experiment;
    await experiment.startInstances(2);
    await experiment.wait(2000);
    await Promise.all(failures.map(async (failure, index) => receiver.behave(index + 1, failure)));
    await experiment.wait(scale.failureMs);
    await Promise.all(failures.map(async (_, index) => receiver.behave(index + 1, 'healthy')));
    await experiment.wait(3000);
    // Three tiers take about eight seconds, so deliveries to endpoints that fail for longer may be dead-lettered.
    const failingWebhooks = new Set(webhookIds.slice(0, failures.length));
    expect(await experiment.violations({ failingWebhooks, maxStallMs: 5000 })).toEqual([]);
  });
});
