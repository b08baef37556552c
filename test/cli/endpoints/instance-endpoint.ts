import type { InstanceEndpoint } from '../../../src/cli/endpoints.ts';

/** Returns an endpoint that works, as an instance lists it. */
export function anInstanceEndpoint(overrides: Partial<InstanceEndpoint> = {}): InstanceEndpoint {
  return {
    instance: 'worker-1-5f2c',
    configurationId: '665f1f77bcf86cd799439011',
    state: 'active',
    health: 'healthy',
    circuit: 'closed',
    failures: 0,
    inFlight: 0,
    waiting: 0,
    ...overrides,
  };
}
