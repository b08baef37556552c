import { Inspector } from '../inspector.ts';
import type { Observer } from '../observer.ts';
import { sharesOf, sharesOfAllocations, type AllocationNode, type CpuProfile, type Shares } from './parts.ts';

/** One of V8's profilers. */
export interface Profiler {
  /** The quantity of which it returns shares. */
  readonly title: string;
  start(inspector: Inspector): Promise<void>;
  stop(inspector: Inspector): Promise<Shares>;
}

export const profilers: readonly Profiler[] = [
  {
    title: 'busy time of the thread',
    async start(inspector) {
      await inspector.call('Profiler.enable');
      await inspector.call('Profiler.setSamplingInterval', { interval: 500 });
      await inspector.call('Profiler.start');
    },
    async stop(inspector) {
      const { profile } = (await inspector.call('Profiler.stop')) as { readonly profile: CpuProfile };
      return sharesOf(profile);
    },
  },
  {
    title: 'bytes allocated on the heap',
    async start(inspector) {
      await inspector.call('HeapProfiler.startSampling', {
        samplingInterval: 4096,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      });
    },
    async stop(inspector) {
      const { profile } = (await inspector.call('HeapProfiler.stopSampling')) as {
        readonly profile: { readonly head: AllocationNode };
      };
      return sharesOfAllocations(profile.head);
    },
  },
];

/** Profiles the main thread of the measured process. */
export function profiling(profiler: Profiler, onShares: (shares: Shares) => void): Observer {
  return {
    async begin({ inspectorPort }) {
      const inspector = await Inspector.connect(inspectorPort);
      await profiler.start(inspector);
      return async () => {
        using _ = inspector;
        onShares(await profiler.stop(inspector));
      };
    },
  };
}
