import type { Gates } from '../deliveries/gates/gates.ts';
import type { IntakeLimits } from './intake-limits.ts';
import type { Clock } from '../lib/clock.ts';
import type { LoadMeter } from './load-meter.ts';
import { Throttle } from './throttle.ts';

export interface StartThrottleOptions {
  readonly meter: LoadMeter;
  readonly limits: readonly Pick<IntakeLimits, 'shrinkTo'>[];
  readonly gates: Pick<Gates, 'shrinkRoomsTo'>;
  readonly clock: Clock;
}

const lookEveryMs = 1000;

/** Takes in less while the process is busier than it can cope with. Disposes of the meter with itself. */
export function startThrottling({ meter, limits, gates, clock }: StartThrottleOptions): Disposable {
  const throttle = new Throttle();
  const look = (): void => {
    const part = throttle.look(meter.read());
    for (const one of limits) one.shrinkTo(part);
    // Rooms are always a part of it, so that endpoints that stand still can't fill what is left.
    gates.shrinkRoomsTo(part);
    timer = clock.after(lookEveryMs, look);
  };
  let timer = clock.after(lookEveryMs, look);
  return {
    [Symbol.dispose]: () => {
      timer[Symbol.dispose]();
      meter[Symbol.dispose]();
    },
  };
}
