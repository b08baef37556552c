import type { Gates } from '../deliveries/gates/gates.ts';
import type { IntakeLimits } from './intake-limits.ts';
import type { Clock } from '../lib/clock.ts';
import type { LoadMeter } from './load-meter.ts';
import { Throttle } from './throttle.ts';

interface StartThrottleOptions {
  readonly meter: LoadMeter;
  readonly limits: readonly Pick<IntakeLimits, 'shrinkTo'>[];
  readonly gates: Pick<Gates, 'shrinkRoomsTo'>;
  readonly clock: Clock;
}

/** Time between two readings of the load, in ms. Bounds how long a process takes in more than it can handle. */
const intervalMs = 1000;

/** Shrinks the intake limits while the process is overloaded. Disposing it disposes the meter, too. */
export function startThrottling({ meter, limits, gates, clock }: StartThrottleOptions): Disposable {
  const throttle = new Throttle();
  const adjust = (): void => {
    const fraction = throttle.update(meter.read());
    for (const one of limits) one.shrinkTo(fraction);
    // Waiting rooms shrink with the limits. Otherwise endpoints that do not answer could fill what is left of them.
    gates.shrinkRoomsTo(fraction);
    timer = clock.after(intervalMs, adjust);
  };
  let timer = clock.after(intervalMs, adjust);
  return {
    [Symbol.dispose]: () => {
      timer[Symbol.dispose]();
      meter[Symbol.dispose]();
    },
  };
}
