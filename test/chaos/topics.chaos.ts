import { describe, expect, it } from 'vitest';
import { allow, deny, guardedCluster, guardedService, type Denial } from '../support/kafka/acls.ts';
import { connectAdmin } from '../support/kafka/client.ts';
import { createTopics } from '../support/kafka/topics.ts';
import type { Expectation } from './checks/check-evidence.ts';
import { clusterOfThree } from './experiment/cluster-of-three.ts';
import { startExperiment, type Experiment, type ExperimentOptions } from './experiment/experiment.ts';
import { partitions } from './experiment/service-environment.ts';
import { readScale } from './experiment/scale.ts';

const scale = readScale();
const getCluster = clusterOfThree(guardedCluster);

describe('the service', () => {
  it('delays no first attempt while a tier refuses writes, and loses nothing', async ({ task }) => {
    const fault = `first tier refuses writes (ACL) for ${scale.failureMs / 1000} s while eight endpoints fail`;
    const environment = guardedService(getCluster());
    await using experiment = await startExperiment({ fault, task, environment, ...common() });
    const { kafka, firstTier } = experiment;
    const denial: Denial = { resource: 'topic', name: firstTier, operation: 'write' };
    await runWithFault(experiment, { begin: () => deny(kafka, denial), end: () => allow(kafka, denial) });
    expect(await experiment.violations(expectationOf(experiment))).toEqual([]);
  });

  it('delays no first attempt while a tier is deleted, and loses nothing', async ({ task }) => {
    const fault = `first tier is gone for ${scale.failureMs / 1000} s while eight endpoints fail`;
    await using experiment = await startExperiment({ fault, task, ...common() });
    const { kafka, firstTier: topic } = experiment;
    await runWithFault(experiment, {
      begin: async () => {
        await using admin = await connectAdmin(kafka);
        await admin.deleteTopics({ topics: [topic] });
      },
      end: () => createTopics(kafka, [{ topic, partitions }]),
    });
    expect(await experiment.violations(expectationOf(experiment))).toEqual([]);
  });

  it('delays no delivery while the results topic refuses writes, and misses no result', async ({ task }) => {
    const fault = `results topic refuses writes (ACL) for ${scale.failureMs / 1000} s while eight endpoints fail`;
    // What is delivered in that time stays unsettled, so there has to be room for it.
    const environment = { ...guardedService(getCluster()), INTAKE_MAX_RECORDS: '100000' };
    await using experiment = await startExperiment({ fault, task, environment, ...common() });
    const { kafka, names } = experiment;
    const denial: Denial = { resource: 'topic', name: names.results, operation: 'write' };
    await runWithFault(experiment, { begin: () => deny(kafka, denial), end: () => allow(kafka, denial) });
    expect(await experiment.violations(expectationOf(experiment))).toEqual([]);
  });

  it('loses nothing while a transaction is open in the configurations topic', async ({ task }) => {
    const fault = `a transaction in the configurations topic is open for ${scale.failureMs / 1000} s`;
    await using experiment = await startExperiment({ fault, task, scale, cluster: getCluster() });
    const { kafka, names } = experiment;
    await experiment.startInstances(2);
    await experiment.wait(2000);
    const transactionalId = names.configurations;
    const producer = kafka.producer({ transactionalId, idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    const transaction = await producer.transaction();
    // Behind it, nothing in that partition can be read, be it a change or a removal.
    await transaction.send({ topic: names.configurations, messages: [{ key: 'never-committed', value: '{}' }] });
    await experiment.wait(scale.failureMs);
    await transaction.abort();
    await producer.disconnect();
    expect(await experiment.violations()).toEqual([]);
  });
});

const failingWebhookCount = 8;
const failingEndpoint = 1;

const common = (): Omit<ExperimentOptions, 'fault' | 'task'> => ({
  scale,
  cluster: getCluster(),
  endpoints: ['healthy', 'healthy'],
  endpointOf: (webhookIndex) => (webhookIndex < failingWebhookCount ? failingEndpoint : 0),
});

function expectationOf({ webhookIds }: Experiment): Expectation {
  return { failingWebhooks: new Set(webhookIds.slice(0, failingWebhookCount)), maxStallMs: 5000 };
}

interface TopicFault {
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Runs a fault of the first tier. No endpoint fails before the fault, so a deletion of the tier loses no records. */
async function runWithFault(experiment: Experiment, topicFault: TopicFault): Promise<void> {
  const { receiver } = experiment;
  await experiment.startInstances(2);
  await experiment.wait(2000);
  await topicFault.begin();
  await receiver.behave(failingEndpoint, 'error');
  await experiment.wait(scale.failureMs);
  await topicFault.end();
  await experiment.wait(3000);
  await receiver.behave(failingEndpoint, 'healthy');
}
