import { describe, expect, it } from 'vitest';
import { someFail } from './experiment/subscribers.ts';
import { clusterOfThree } from './experiment/cluster-of-three.ts';
import { sessionTimeoutMs } from './experiment/service-environment.ts';
import { startExperiment } from './experiment/experiment.ts';
import { readScale } from './experiment/scale.ts';

const scale = readScale();
const started = clusterOfThree();

describe('the service', () => {
  it('loses nothing when it is killed at random moments', async ({ task }) => {
    const fault = `${scale.kills} × SIGKILL of one of two instances, at random moments`;
    await using experiment = await startExperiment({ fault, task, scale, cluster: started(), ...someFail });
    const { fleet, dice } = experiment;
    await experiment.startInstances(2);
    for (let kill = 0; kill < scale.kills; kill += 1) {
      // Less than a session at times, so that it also hits who is yet to join.
      await experiment.lasts(dice.between(500, 14_000));
      await fleet.kill(dice.pick(fleet.running));
      await fleet.start();
    }
    await experiment.lasts(2000);
    expect(await experiment.violations()).toEqual([]);
  });

  it('loses and repeats nothing while instances join and leave every few seconds', async ({ task }) => {
    const fault = `up to three instances join and leave every few seconds for ${scale.stormMs / 1000} s`;
    await using experiment = await startExperiment({ fault, task, scale, cluster: started(), ...someFail });
    const { fleet, dice } = experiment;
    await experiment.startInstances(1);
    for (const end = Date.now() + scale.stormMs; Date.now() < end;) {
      await experiment.lasts(dice.between(1000, 4000));
      const isLeaving = fleet.running.length === 3 || (fleet.running.length === 2 && dice.between(0, 2) < 1);
      if (isLeaving) await fleet.stop(dice.pick(fleet.running));
      else await fleet.start();
    }
    expect(await experiment.violations()).toEqual([]);
  });

  it('loses and repeats nothing when its instances are restarted one after the other', async ({ task }) => {
    const fault = `${scale.rounds} × rolling restart of three instances`;
    await using experiment = await startExperiment({ fault, task, scale, cluster: started(), ...someFail });
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

  it('loses nothing, and commits nothing late, when it thaws after its session is over', async ({ task }) => {
    const fault = `${scale.rounds} × SIGSTOP of one of two instances past its session, then SIGCONT`;
    await using experiment = await startExperiment({ fault, task, scale, cluster: started(), ...someFail });
    const { fleet, dice } = experiment;
    await experiment.startInstances(2);
    for (let round = 0; round < scale.rounds; round += 1) {
      await experiment.lasts(dice.between(2000, 4000));
      const frozen = dice.pick(fleet.running);
      fleet.freeze(frozen);
      await experiment.lasts(sessionTimeoutMs + dice.between(3000, 6000));
      // A commit of its that the group took from now on would set another's back, which the verdict minds.
      fleet.thaw(frozen);
      await experiment.lasts(sessionTimeoutMs);
    }
    expect(await experiment.violations()).toEqual([]);
  });

  it('loses nothing when its event loop stands still for longer than the session', async ({ task }) => {
    const fault = `${scale.rounds} × event loop of one of two instances stalled past its session`;
    const stallMs = sessionTimeoutMs + 4000;
    const environment = { CHAOS_STALL_MS: String(stallMs) };
    await using experiment = await startExperiment({
      fault,
      task,
      scale,
      environment,
      cluster: started(),
      ...someFail,
    });
    const { fleet, dice } = experiment;
    await experiment.startInstances(2);
    for (let round = 0; round < scale.rounds; round += 1) {
      await experiment.lasts(dice.between(2000, 4000));
      fleet.stall(dice.pick(fleet.running));
      await experiment.lasts(stallMs + sessionTimeoutMs);
    }
    expect(await experiment.violations()).toEqual([]);
  });
});
