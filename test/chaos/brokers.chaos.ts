import { describe, expect, it } from 'vitest';
import { topicsInSync } from '../support/kafka/topics.ts';
import { someFail } from './experiment/subscribers.ts';
import { clusterOfThree } from './experiment/cluster-of-three.ts';
import { sessionTimeoutMs } from './experiment/service-environment.ts';
import { startExperiment, type Experiment } from './experiment/experiment.ts';
import { partitions } from './experiment/names.ts';
import { coordinatorOf, leaderOf } from './experiment/broker-roles.ts';
import { readScale } from './experiment/scale.ts';

const scale = readScale();
const started = clusterOfThree();
const brokerIds = [1, 2, 3];

describe('the service', () => {
  it("loses nothing, and repeats only retries whose acknowledgement is lost, when a leader's broker is killed", async ({
    task,
  }) => {
    const fault = `${scale.rounds} × SIGKILL of the broker of a partition's leader, and its restart`;
    await using experiment = await startExperiment({ fault, task, scale, cluster: started(), ...someFail });
    const { kafka, names, dice } = experiment;
    await killBrokers(experiment, () => leaderOf(kafka, names.completed, Math.floor(dice.between(0, partitions))));
    expect(await experiment.violations({ copiesAllowed: true })).toEqual([]);
  });

  it("loses nothing, and repeats only retries whose acknowledgement is lost, when the coordinator's broker is killed", async ({
    task,
  }) => {
    const fault = `${scale.rounds} × SIGKILL of the broker of the group's coordinator, and its restart`;
    await using experiment = await startExperiment({ fault, task, scale, cluster: started(), ...someFail });
    await killBrokers(experiment, () => coordinatorOf(experiment.kafka, experiment.names.group));
    expect(await experiment.violations({ copiesAllowed: true })).toEqual([]);
  });

  it('loses nothing when all brokers are away for longer than the session', async ({ task }) => {
    const fault = `${scale.rounds} × SIGSTOP of all brokers past the session, then SIGCONT`;
    await using experiment = await startExperiment({ fault, task, scale, cluster: started(), ...someFail });
    const { fleet, dice, cluster } = experiment;
    await experiment.startInstances(2);
    for (let round = 0; round < scale.rounds; round += 1) {
      await experiment.lasts(dice.between(2000, 4000));
      const frozenAt = Date.now();
      for (const id of brokerIds) cluster.freeze(id);
      await experiment.lasts(sessionTimeoutMs + dice.between(3000, 6000));
      for (const id of brokerIds) cluster.thaw(id);
      // What was delivered meanwhile could not be committed.
      fleet.disrupted(frozenAt, Date.now());
      await cluster.ready();
      await experiment.lasts(sessionTimeoutMs);
    }
    expect(await experiment.violations({ copiesAllowed: true })).toEqual([]);
  });
});

async function killBrokers(experiment: Experiment, nextVictim: () => Promise<number>): Promise<void> {
  const { kafka, names, dice, cluster } = experiment;
  const topics = [names.completed, ...names.tiers].map((topic) => ({ topic, partitions }));
  await experiment.startInstances(2);
  for (let round = 0; round < scale.rounds; round += 1) {
    await experiment.lasts(dice.between(2000, 4000));
    const victim = await nextVictim();
    await cluster.kill(victim);
    await experiment.lasts(dice.between(3000, 6000));
    await cluster.start(victim);
    // Two of three away at once would be another fault.
    await topicsInSync(kafka, topics);
  }
  await experiment.lasts(3000);
}
