import { describe, expect, it } from 'vitest';
import type { Kafka } from 'kafkajs';
import { topicsInSync } from '../support/kafka/topics.ts';
import { someEndpointsFailFirst } from './experiment/subscribers.ts';
import { clusterOfThree } from './experiment/cluster-of-three.ts';
import { sessionTimeoutMs, partitions } from './experiment/service-environment.ts';
import { startExperiment, type Experiment } from './experiment/experiment.ts';
import { readScale } from './experiment/scale.ts';
import { connectAdmin } from '../support/kafka/client.ts';

const scale = readScale();
const getCluster = clusterOfThree();
const common = () => ({ scale, cluster: getCluster(), ...someEndpointsFailFirst });
const brokerIds = [1, 2, 3];

describe('the service', () => {
  it("loses nothing after a kill of a leader's broker, and repeats only retries with a lost acknowledgement", async ({
    task,
  }) => {
    const fault = `${scale.rounds} × SIGKILL of the broker of a partition's leader, and its restart`;
    await using experiment = await startExperiment({ fault, task, ...common() });
    const { kafka, names, random } = experiment;
    await killBrokers(experiment, () => leaderOf(kafka, names.completed, random.between(0, partitions - 1)));
    expect(await experiment.violations({ copiesAllowed: true })).toEqual([]);
  });

  it("loses nothing after a kill of the coordinator's broker, and repeats only retries with a lost acknowledgement", async ({
    task,
  }) => {
    const fault = `${scale.rounds} × SIGKILL of the broker of the group's coordinator, and its restart`;
    await using experiment = await startExperiment({ fault, task, ...common() });
    await killBrokers(experiment, () => coordinatorOf(experiment.kafka, experiment.names.group));
    expect(await experiment.violations({ copiesAllowed: true })).toEqual([]);
  });

  it('loses nothing while all brokers are frozen for longer than the session', async ({ task }) => {
    const fault = `${scale.rounds} × SIGSTOP of all brokers past the session, then SIGCONT`;
    await using experiment = await startExperiment({ fault, task, ...common() });
    const { fleet, random, cluster } = experiment;
    await experiment.startInstances(2);
    for (let round = 0; round < scale.rounds; round += 1) {
      await experiment.wait(random.between(2000, 4000));
      const frozenAt = Date.now();
      for (const id of brokerIds) cluster.freeze(id);
      await experiment.wait(sessionTimeoutMs + random.between(3000, 6000));
      for (const id of brokerIds) cluster.thaw(id);
      // Deliveries of that time could not be committed.
      fleet.recordDisruption(frozenAt, Date.now());
      await cluster.ready();
      await experiment.wait(sessionTimeoutMs);
    }
    expect(await experiment.violations({ copiesAllowed: true })).toEqual([]);
  });

  it('loses nothing when the open connections of an instance to all brokers go silent', async ({ task }) => {
    const fault = `${scale.rounds} × all connections of one of two instances to the brokers silent, as behind a NAT`;
    await using experiment = await startExperiment({ fault, task, ...common() });
    const { fleet, random, cluster } = experiment;
    const ports = cluster.brokers.map((address) => Number(new URL(`kafka://${address}`).port));
    await experiment.startInstances(2);
    for (let round = 0; round < scale.rounds; round += 1) {
      await experiment.wait(random.between(2000, 4000));
      const silencedAt = Date.now();
      experiment.anyInstance().silence(ports);
      await experiment.wait(2 * longestRequestMs);
      fleet.recordDisruption(silencedAt, Date.now());
    }
    expect(await experiment.violations({ copiesAllowed: true })).toEqual([]);
  });
});

/** The longest request timeout of the service's clients, after which they open another connection. */
const longestRequestMs = 15_000;

async function killBrokers(experiment: Experiment, nextVictim: () => Promise<number>): Promise<void> {
  const { kafka, names, random, cluster } = experiment;
  const topics = [names.completed, ...names.tiers].map((topic) => ({ topic, partitions }));
  await experiment.startInstances(2);
  for (let round = 0; round < scale.rounds; round += 1) {
    await experiment.wait(random.between(2000, 4000));
    const victim = await nextVictim();
    await cluster.kill(victim);
    await experiment.wait(random.between(3000, 6000));
    await cluster.start(victim);
    // With two of three brokers down it would be another fault.
    await topicsInSync(kafka, topics);
  }
  await experiment.wait(3000);
}

/** Returns the id of the broker that leads the partition. */
async function leaderOf(kafka: Kafka, topic: string, partition: number): Promise<number> {
  await using admin = await connectAdmin(kafka);
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  const leader = topics[0]?.partitions.find(({ partitionId }) => partitionId === partition)?.leader;
  if (leader === undefined || leader < 0) throw new Error(`Partition ${partition} of ${topic} has no leader.`);
  return leader;
}

/** Returns the id of the broker that coordinates the group: the leader of the partition that stores its commits. */
async function coordinatorOf(kafka: Kafka, group: string): Promise<number> {
  await using admin = await connectAdmin(kafka);
  const { topics } = await admin.fetchTopicMetadata({ topics: [offsetsTopic] });
  const count = topics[0]?.partitions.length ?? 0;
  return await leaderOf(kafka, offsetsTopic, (javaHash(group) & 0x7fff_ffff) % count);
}

const offsetsTopic = '__consumer_offsets';

/** `String.hashCode` of Java, by which Kafka maps groups to partitions of its offsets topic. */
function javaHash(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}
