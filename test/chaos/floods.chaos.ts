import { expect, it } from 'vitest';
import { handshakeFloods, httpFloods, tlsFloods } from '../deliveries/http/hostile/floods.ts';
import { defaultSettings } from '../support/service/default-settings.ts';
import { clusterOfThree } from './experiment/cluster-of-three.ts';
import { readScale } from './experiment/scale.ts';
import { runSoak } from './soak/soak.ts';
import type { SoakRound } from './soak/soaked-service.ts';

const getCluster = clusterOfThree({ brokers: 1 });
const floods = [...httpFloods, ...tlsFloods, ...handshakeFloods];
const rounds = readScale().name === 'full' ? 3 : 2;

it('eleven endpoints that send too much, in all ways, for 30 s, get few attempts and take no memory', async () => {
  const { alone, beside } = await runSoak(getCluster().brokers, { roundMs: 30_000, rounds });
  for (const round of [...alone, ...beside]) process.stdout.write(`Floods: ${JSON.stringify(round)}\n`);
  // Without its circuit, each endpoint would get 150 attempts. A flood after a 2xx may end by the limits of a body, which is
  // no failure: on a slow machine such an endpoint gets most of its certificates.
  const { circuit, delivery } = defaultSettings();
  const mostAttempts = circuit.failures + 2 * delivery.maxInFlightPerEndpoint;
  for (const { hostileAttempts } of beside) {
    const failing = Object.entries(hostileAttempts).filter(([name]) => isCut(name));
    expect(failing.length).toBeGreaterThan(4);
    expect(failing.filter(([, attempts]) => attempts > mostAttempts)).toEqual([]);
  }
  // The wait that they cause is bounded in the simulation. Here they take processor time themselves, so it is only printed.
  // After the first rounds everything is loaded and compiled. The allocator keeps some memory that is free: 42 MiB were seen.
  const growth = (memory: 'heapMiB' | 'rssMiB', since: SoakRound | undefined): number =>
    (beside.at(-1)?.[memory] ?? Number.NaN) - (since?.[memory] ?? Number.NaN);
  expect(growth('heapMiB', alone.at(0))).toBeLessThan(8);
  expect(growth('rssMiB', alone.at(-1))).toBeLessThan(96);
});

/** Returns true for an endpoint that never gets as far as a 2xx. Its name here ends with the number of the round. */
function isCut(hostile: string): boolean {
  return floods.some(({ name, outcome }) => outcome !== 'delivered' && hostile.startsWith(`${name} (`));
}
