import { shiftWallClock } from './shift-wall-clock.ts';

/** Loaded before the service. Each SIGUSR2 sets the wall clock forward by `WALL_CLOCK_SHIFT_MS`, or back if it is negative. */
process.on('SIGUSR2', () => shiftWallClock(Number(process.env['WALL_CLOCK_SHIFT_MS'])));
