import { Inspector } from '../inspector.ts';
import type { Observer } from '../observer.ts';
import type { CpuProfile } from './parts.ts';

/** Profiles the main thread of the measured process. */
export function profiler(onProfile: (profile: CpuProfile) => void): Observer {
  return {
    async begin({ inspectorPort }) {
      const inspector = await Inspector.connect(inspectorPort);
      await inspector.call('Profiler.enable');
      await inspector.call('Profiler.setSamplingInterval', { interval: 500 });
      await inspector.call('Profiler.start');
      return async () => {
        using _ = inspector;
        const { profile } = (await inspector.call('Profiler.stop')) as { readonly profile: CpuProfile };
        onProfile(profile);
      };
    },
  };
}
