import { blackHolesScenario } from './black-holes.ts';
import { burstScenarios } from './burst.ts';
import { fanOutScenario } from './fan-out.ts';
import { hangingHalfScenario } from './hanging-half.ts';
import type { IsolationScenario } from './scenario.ts';
import { slowEndpointScenario } from './slow-endpoint.ts';
import { suddenHangScenarios } from './sudden-hang.ts';

export const scenarios: readonly IsolationScenario[] = [
  blackHolesScenario,
  hangingHalfScenario,
  ...burstScenarios,
  fanOutScenario,
  slowEndpointScenario,
  ...suddenHangScenarios,
];
