const realNow = Date.now.bind(Date);
let shiftMs = 0;

/** Sets the wall clock of this process forward, or back if `ms` is negative. No time passes for its timers. */
export function shiftWallClock(ms: number): void {
  if (shiftMs === 0) replaceDate();
  shiftMs += ms;
}

function shiftedNow(): number {
  return realNow() + shiftMs;
}

function replaceDate(): void {
  Date.now = shiftedNow;
  globalThis.Date = new Proxy(Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [shiftedNow()] : args, newTarget),
  });
}
