import { describe, expect, it } from 'vitest';
import { someEndpointsFailFirst } from './experiment/subscribers.ts';
import { clusterOfThree } from './experiment/cluster-of-three.ts';
import { sessionTimeoutMs } from './experiment/service-environment.ts';
import { startExperiment } from './experiment/experiment.ts';
import { readScale } from './experiment/scale.ts';

const scale = readScale();
const getCluster = clusterOfThree();
const hourMs = 3_600_000;

describe('the service', () => {
  it('loses and repeats nothing while the clock of an instance is set back and forward', async ({ task }) => {
    const fault = `${scale.rounds} × wall clock of one of two instances set back and forward by an hour`;
    await using experiment = await startExperiment({
      fault,
      task,
      scale,
      cluster: getCluster(),
      ...someEndpointsFailFirst,
    });
    const { fleet, random } = experiment;
    await experiment.startInstances(2);
    for (let round = 0; round < scale.rounds; round += 1) {
      const instance = random.pick(fleet.running);
      for (const ms of [-hourMs, hourMs, hourMs, -hourMs]) {
        instance.setClock(ms);
        // Longer than a session: without heartbeats, the group would remove the instance.
        await experiment.wait(sessionTimeoutMs + random.between(500, 2000));
      }
    }
    expect(await experiment.violations()).toEqual([]);
  });
});
