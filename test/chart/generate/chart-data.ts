import {
  globalIpv6Unicast,
  specialIpv4Blocks,
  specialIpv6Blocks,
  type SpecialBlock,
} from '../../../src/deliveries/http/special-addresses.ts';
import { parseDuration } from '../../../src/lib/duration.ts';
import type { Variable } from '../../../src/settings/variable.ts';
import { variableEntries } from '../../../src/settings/variables.ts';

/** What the templates know of each setting. */
export function settingsData(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    variableEntries.map(([name, variable]) => [
      name,
      {
        default: variable.default ?? '',
        ...(variable.secret === true ? { secret: true } : {}),
        ...(variable.file === true ? { file: true } : {}),
        ...durationBounds(variable),
      },
    ]),
  );
}

/**
 * The blocks of the service's egress policy, as a NetworkPolicy excepts them from what it allows: only those that lie
 * inside of that.
 */
export function networksData(): Readonly<
  Record<string, { readonly cidr: string; readonly except: readonly string[] }>
> {
  const inUnicast = specialIpv6Blocks.filter(({ network }) => /^[23][0-9a-f]{3}:/.test(network));
  return {
    ipv4: { cidr: '0.0.0.0/0', except: specialIpv4Blocks.map(networkOf) },
    ipv6: { cidr: globalIpv6Unicast, except: inUnicast.map(networkOf) },
  };
}

function networkOf({ network }: SpecialBlock): string {
  return network;
}

/** Of a duration, or of each in a list of them. */
function durationBounds({ kind }: Variable): { readonly minMs?: number; readonly maxMs?: number } {
  const [, min = '', max = ''] = /a duration from `(\w+)` to `(\w+)`$/.exec(kind.expected) ?? [];
  const [minMs, maxMs] = [parseDuration(min), parseDuration(max)];
  return minMs === undefined || maxMs === undefined ? {} : { minMs, maxMs };
}
