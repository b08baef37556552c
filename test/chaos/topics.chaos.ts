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
const started = clusterOfThree({
  listeners: [saslListener('SASL', { users: { [username]: password } })],
  properties: withAuthorizer,
});

describe('the service', () => {
  it('stops no first attempt while a tier refuses its writes, and loses nothing', async ({ task }) => {
    const fault = `first tier refuses writes (ACL) for ${scale.sicknessMs / 1000} s while eight endpoints fail`;
    const environment = {
      KAFKA_BROKERS: started().addressesOf('SASL').join(','),
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: username,
      KAFKA_SASL_PASSWORD: password,
    };
    await using experiment = await startExperiment({
      fault,
      task,
      scale,
      environment,
      cluster: started(),
      ...withSickDoor,
    });
    const { kafka, firstTier } = experiment;
    await endure(experiment, {
      begin: () => denyWrites(kafka, firstTier),
      end: () => allowWrites(kafka, firstTier),
    });
    expect(await experiment.violations({ sick: sickOf(experiment), stallAtMostMs: 5000 })).toEqual([]);
  });

  it('stops no first attempt while a tier is gone, and loses nothing', async ({ task }) => {
    const fault = `first tier is gone for ${scale.sicknessMs / 1000} s while eight endpoints fail`;
    await using experiment = await startExperiment({ fault, task, scale, cluster: started(), ...withSickDoor });
    const { kafka, firstTier: topic } = experiment;
    await endure(experiment, {
      begin: () => deleteTopic(kafka, topic),
      end: () => createTopics(kafka, [{ topic, partitions }]),
    });
    expect(await experiment.violations({ sick: sickOf(experiment), stallAtMostMs: 5000 })).toEqual([]);
  });
});

const sickWebhooks = 8;
const sickDoor = 1;

const withSickDoor: Pick<ExperimentOptions, 'doors' | 'doorOf'> = {
  doors: ['healthy', 'healthy'],
  doorOf: (webhookIndex) => (webhookIndex < sickWebhooks ? sickDoor : 0),
};

function sickOf({ webhookIds }: Experiment): ReadonlySet<string> {
  return new Set(webhookIds.slice(0, sickWebhooks));
}

interface Trouble {
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** The tier is empty when the trouble begins, so that a deletion takes nothing with it. */
async function endure(experiment: Experiment, trouble: Trouble): Promise<void> {
  const { receiver } = experiment;
  await experiment.startInstances(2);
  await experiment.lasts(2000);
  await trouble.begin();
  await receiver.behave(sickDoor, 'error');
  await experiment.lasts(scale.sicknessMs);
  await trouble.end();
  await experiment.lasts(3000);
  await receiver.behave(sickDoor, 'healthy');
}
