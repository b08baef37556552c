import { describe, expect, it } from 'vitest';
import { saslListener } from '../support/kafka/cluster/security.ts';
import { createTopics } from '../support/kafka/topics.ts';
import { clusterOfThree } from './experiment/cluster-of-three.ts';
import { startExperiment, type Experiment, type ExperimentOptions } from './experiment/experiment.ts';
import { partitions } from './experiment/names.ts';
import { readScale } from './experiment/scale.ts';
import { allowWrites, deleteTopic, denyWrites, serviceUser, withAuthorizer } from './experiment/topic-faults.ts';

const scale = readScale();
const { username, password } = serviceUser;
const getCluster = clusterOfThree({
  listeners: [saslListener('SASL', { users: { [username]: password } })],
  properties: withAuthorizer,
});

describe('the service', () => {
  it('delays no first attempt while a tier refuses writes, and loses nothing', async ({ task }) => {
    const fault = `first tier refuses writes (ACL) for ${scale.failureMs / 1000} s while eight endpoints fail`;
    const environment = {
      KAFKA_BROKERS: getCluster().addressesOf('SASL').join(','),
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: username,
      KAFKA_SASL_PASSWORD: password,
    };
    await using experiment = await startExperiment({
      fault,
      task,
      scale,
      environment,
      cluster: getCluster(),
      ...withFailingEndpoint,
    });
    const { kafka, firstTier } = experiment;
    await runWithFault(experiment, {
      begin: () => denyWrites(kafka, firstTier),
      end: () => allowWrites(kafka, firstTier),
    });
    expect(await experiment.violations({ failingWebhooks: failingWebhooksOf(experiment), maxStallMs: 5000 })).toEqual(
      [],
    );
  });

  it('delays no first attempt while a tier is deleted, and loses nothing', async ({ task }) => {
    const fault = `first tier is gone for ${scale.failureMs / 1000} s while eight endpoints fail`;
    await using experiment = await startExperiment({
      fault,
      task,
      scale,
      cluster: getCluster(),
      ...withFailingEndpoint,
    });
    const { kafka, firstTier: topic } = experiment;
    await runWithFault(experiment, {
      begin: () => deleteTopic(kafka, topic),
      end: () => createTopics(kafka, [{ topic, partitions }]),
    });
    expect(await experiment.violations({ failingWebhooks: failingWebhooksOf(experiment), maxStallMs: 5000 })).toEqual(
      [],
    );
  });
});

const failingWebhookCount = 8;
const failingEndpoint = 1;

const withFailingEndpoint: Pick<ExperimentOptions, 'endpoints' | 'endpointOf'> = {
  endpoints: ['healthy', 'healthy'],
  endpointOf: (webhookIndex) => (webhookIndex < failingWebhookCount ? failingEndpoint : 0),
};

function failingWebhooksOf({ webhookIds }: Experiment): ReadonlySet<string> {
  return new Set(webhookIds.slice(0, failingWebhookCount));
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
