import { describe, expect, it } from 'vitest';
import { eventually } from '../support/time/eventually.ts';
import { clusterOfThree } from './experiment/cluster-of-three.ts';
import { startExperiment } from './experiment/experiment.ts';
import { readScale } from './experiment/scale.ts';

const scale = readScale();
const getCluster = clusterOfThree();
const hangingEndpoint = 1;

describe('the service', () => {
  it('repeats at most one second of deliveries after a kill while one endpoint blocks its commits', async ({
    task,
  }) => {
    const fault = `one endpoint hangs on every request while ${scale.backlog} deliveries to others are made, then SIGKILL`;
    await using experiment = await startExperiment({
      fault,
      task,
      scale,
      cluster: getCluster(),
      // The deliveries of one or two seconds. More would not fit into the waiting rooms and would go to the tiers.
      environment: { INTAKE_MAX_RECORDS: '2000', DELIVERY_TIMEOUT: '6s', DELIVERY_CONNECT_TIMEOUT: '5s' },
      owners: 600,
      recordsPerSecond: 800,
      endpoints: ['healthy', 'hang_before_head'],
      endpointOf: (webhookIndex) => (webhookIndex === 0 ? hangingEndpoint : 0),
    });
    const { fleet, receiver, load, webhookIds } = experiment;
    await experiment.startInstances(1);
    const isDelivered = async (): Promise<boolean> => Promise.resolve(receiver.accepted.size >= scale.backlog);
    await eventually(`${scale.backlog} deliveries are made`, isDelivered, { withinMs: 600_000 });
    await Promise.all(fleet.running.map(async (instance) => fleet.kill(instance)));
    await load.stop();
    // Deliveries to the hanging endpoint keep their estimated free times, which are up to minutes ahead.
    await receiver.behave(hangingEndpoint, 'healthy');
    await experiment.startInstances(1);
    expect(await experiment.violations({ failingWebhooks: new Set(webhookIds.slice(0, 1)) })).toEqual([]);
  });
});
