import { blackHolesScenario } from './black-holes.ts';
import { burstScenario, spreadBurstScenario } from './burst.ts';
import { busyEndpointScenarios } from './busy-endpoint.ts';
import { fanOutScenario, pausedFanOutScenario } from './fan-out.ts';
import { fullRoomScenario, lateFullRoomScenario } from './full-room.ts';
import { hangingHalfScenario } from './hanging-half.ts';
import { hostileScenario } from './hostile.ts';
import { limitedAndHangingScenario, limitedScenario } from './limited.ts';
import { limitedNeighboursScenarios } from './limited-neighbours.ts';
import { manyWebhooksScenario } from './many-webhooks.ts';
import type { IsolationScenario } from '../situation.ts';
import { limitedInOnePartitionScenario } from './shared-tiers.ts';
import { slowEndpointScenario } from './slow-endpoint.ts';
import { aboveLimitScenario, belowLimitScenario } from './steady-limit.ts';
import { hangingBurstsScenario, hundredHangScenario, twoHundredHangScenario } from './sudden-hang.ts';

export const scenarios: readonly IsolationScenario[] = [
  blackHolesScenario,
  hangingHalfScenario,
  burstScenario,
  spreadBurstScenario,
  fanOutScenario,
  pausedFanOutScenario,
  manyWebhooksScenario,
  fullRoomScenario,
  lateFullRoomScenario,
  slowEndpointScenario,
  hundredHangScenario,
  twoHundredHangScenario,
  hangingBurstsScenario,
  hostileScenario,
  limitedScenario,
  limitedAndHangingScenario,
  limitedInOnePartitionScenario,
  ...limitedNeighboursScenarios,
  ...busyEndpointScenarios,
  belowLimitScenario,
  aboveLimitScenario,
];
