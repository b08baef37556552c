import { describe, expect, it } from 'vitest';
import { eventually } from '../support/time/eventually.ts';
import { clusterOfThree } from './experiment/cluster-of-three.ts';
import { startExperiment } from './experiment/experiment.ts';
import { readScale } from './experiment/scale.ts';

const scale = readScale();
const started = clusterOfThree();
const hangingDoor = 1;

describe('the service', () => {
  it('repeats a second of deliveries at most when it is killed while one endpoint pins its commits', async ({
    task,
  }) => {
    const fault = `one endpoint hangs on every request while ${scale.backlog} deliveries to others are made, then SIGKILL`;
    await using experiment = await startExperiment({
      fault,
      task,
      scale,
      cluster: started(),
      // As many as are delivered in a second or two: more would be too many for the waiting rooms, and go to the tiers.
      environment: { INTAKE_MAX_RECORDS: '2000', DELIVERY_TIMEOUT: '6s', DELIVERY_CONNECT_TIMEOUT: '5s' },
      owners: 600,
      recordsPerSecond: 800,
      doors: ['healthy', 'hang_before_head'],
      doorOf: (webhookIndex) => (webhookIndex === 0 ? hangingDoor : 0),
    });
    const { fleet, receiver, load, webhookIds } = experiment;
    await experiment.startInstances(1);
    const isMade = async (): Promise<boolean> => Promise.resolve(receiver.accepted.size >= scale.backlog);
    await eventually(`${scale.backlog} deliveries are made`, isMade, { withinMs: 600_000 });
    await Promise.all(fleet.running.map(async (instance) => fleet.kill(instance)));
    await load.stop();
    // What it has overloaded keeps its slots, which the pace of one that hangs has spread over minutes.
    await receiver.behave(hangingDoor, 'healthy');
    await experiment.startInstances(1);
    expect(await experiment.violations({ sick: new Set(webhookIds.slice(0, 1)) })).toEqual([]);
  });
});
