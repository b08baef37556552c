import { createRequire, registerHooks } from 'node:module';
import { KafkajsMismatchError } from '../load.ts';

/** Files of kafkajs that measure durations. All others that read the time write timestamps. */
const measuring = [
  'cluster/brokerPool',
  'consumer/consumerGroup',
  'consumer/offsetManager/index',
  'consumer/runner',
  'network/requestQueue/index',
  'network/requestQueue/socketRequest',
].map((name) => `kafkajs/src/${name}.js`);

/** Files that are loaded again, because they use those above. `errors.js` stays, so that `instanceof` keeps its meaning. */
const dependents =
  /\/kafkajs\/(?:index\.js|src\/(?:index\.js|(?:admin|broker|cluster|consumer|network|producer)\/.+))$/v;

const wallTime = 'Date.now()';
/** Whole milliseconds, as this code expects. */
const monotonicTime = 'Math.floor(performance.now())';

/**
 * Makes kafkajs measure durations by the monotonic clock. Later loads of kafkajs return the changed copy.
 *
 * kafkajs measures everything by the wall clock. Set back by an hour, it sent no heartbeat, timed out no request and kept
 * its metadata for an hour. A throttled broker got no request for an hour. Set forward, all requests in flight timed out.
 *
 * The sources are changed while they load, because most of this code is private to closures and constructors.
 * Record timestamps are written in `protocol`, and stay wall times.
 */
export function measureMonotonically(require: NodeJS.Require = createRequire(import.meta.url)): void {
  const changed = new Set<string>();
  const hooks = registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      const name = measuring.find((path) => url.endsWith(`/${path}`));
      const { source } = loaded;
      if (name === undefined || typeof source !== 'string' || !source.includes(wallTime)) return loaded;
      changed.add(name);
      return { ...loaded, source: source.replaceAll(wallTime, monotonicTime) };
    },
  });
  try {
    for (const loaded of Object.keys(require.cache)) if (dependents.test(loaded)) delete require.cache[loaded];
    for (const path of measuring) require(path);
  } finally {
    hooks.deregister();
  }
  const missing = measuring.find((name) => !changed.has(name));
  if (missing !== undefined) throw new KafkajsMismatchError(`kafkajs changed inside: ${missing} has no ${wallTime}`);
}
