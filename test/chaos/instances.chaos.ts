import { describe, expect, it } from 'vitest';
import { someEndpointsFailFirst } from './experiment/subscribers.ts';
import { clusterOfThree } from './experiment/cluster-of-three.ts';
import { sessionTimeoutMs } from './experiment/service-environment.ts';
import { startExperiment } from './experiment/experiment.ts';
import { readScale } from './experiment/scale.ts';

const scale = readScale();
const getCluster = clusterOfThree();
const common = () => ({ scale, cluster: getCluster(), ...someEndpointsFailFirst });

describe('the service', () => {
  it('loses nothing when its instances are killed at random times', async ({ task }) => {
    const fault = `${scale.kills} × SIGKILL of one of two instances, at random times`;
    await using experiment = await startExperiment({ fault, task, ...common() });
    const { fleet, random } = experiment;
    await experiment.startInstances(2);
    for (let kill = 0; kill < scale.kills; kill += 1) {
      // Sometimes less than a session, so that a kill also hits an instance that has not joined yet.
      await experiment.wait(random.between(500, 14_000));
      await fleet.kill(experiment.anyInstance());
      await fleet.start();
    }
    await experiment.wait(2000);
    expect(await experiment.violations()).toEqual([]);
  });

  it('loses and repeats nothing while instances join and leave every few seconds', async ({ task }) => {
    const fault = `up to three instances join and leave every few seconds for ${scale.stormMs / 1000} s`;
    await using experiment = await startExperiment({ fault, task, ...common() });
    const { fleet, random } = experiment;
    await experiment.startInstances(1);
    for (const end = Date.now() + scale.stormMs; Date.now() < end;) {
      await experiment.wait(random.between(1000, 4000));
      const isLeaving = fleet.running.length === 3 || (fleet.running.length === 2 && random.chance(0.5));
      if (isLeaving) await fleet.stop(experiment.anyInstance());
      else await fleet.start();
    }
    expect(await experiment.violations()).toEqual([]);
  });

  it('loses and repeats nothing in a rolling restart', async ({ task }) => {
    const fault = `${scale.rounds} × rolling restart of three instances`;
    await using experiment = await startExperiment({ fault, task, ...common() });
    const { fleet } = experiment;
    await experiment.startInstances(3);
    for (let round = 0; round < scale.rounds; round += 1) {
      for (const old of fleet.running) {
        await fleet.stop(old);
        await experiment.startInstances(1);
      }
    }
    expect(await experiment.violations()).toEqual([]);
  });

  it('loses nothing when an instance is frozen past its session, and commits nothing late', async ({ task }) => {
    const fault = `${scale.rounds} × SIGSTOP of one of two instances past its session, then SIGCONT`;
    await using experiment = await startExperiment({ fault, task, ...common() });
    const { fleet, random } = experiment;
    await experiment.startInstances(2);
    for (let round = 0; round < scale.rounds; round += 1) {
      await experiment.wait(random.between(2000, 4000));
      const frozen = experiment.anyInstance();
      fleet.freeze(frozen);
      await experiment.wait(sessionTimeoutMs + random.between(3000, 6000));
      // If the group accepted a commit of this instance now, another member's commit would go back: a violation.
      fleet.thaw(frozen);
      await experiment.wait(sessionTimeoutMs);
    }
    expect(await experiment.violations()).toEqual([]);
  });

  it('loses nothing when an event loop is blocked for longer than the session', async ({ task }) => {
    const fault = `${scale.rounds} × event loop of one of two instances stalled past its session`;
    const stallMs = sessionTimeoutMs + 4000;
    const environment = { CHAOS_STALL_MS: String(stallMs) };
    await using experiment = await startExperiment({ fault, task, environment, ...common() });
    const { fleet, random } = experiment;
    await experiment.startInstances(2);
    for (let round = 0; round < scale.rounds; round += 1) {
      await experiment.wait(random.between(2000, 4000));
      await fleet.stall(experiment.anyInstance());
      await experiment.wait(stallMs + sessionTimeoutMs);
    }
    expect(await experiment.violations()).toEqual([]);
  });
});
