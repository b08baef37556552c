import {
  globalIpv6Unicast,
  specialIpv4Blocks,
  specialIpv6Blocks,
  type SpecialBlock,
} from '../../src/http/egress/special-addresses.ts';
import { parseDuration } from '../../src/lib/units.ts';
import { authorities } from '../../src/settings/kinds/file-kinds.ts';
import type { Variable } from '../../src/settings/variable.ts';
import { variableEntries } from '../../src/settings/variables.ts';

/** Returns the metadata of each setting for the templates. */
export function settingsData(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    variableEntries.map(([name, variable]) => [
      name,
      {
        default: variable.default ?? '',
        ...(variable.secret === true ? { secret: true } : {}),
        ...(variable.file === true ? { file: true } : {}),
        ...(variable.kind === authorities ? { folder: true } : {}),
        ...durationBounds(variable),
      },
    ]),
  );
}

/**
 * Returns the networks of the service's egress policy for a NetworkPolicy. It may except only blocks inside the allowed
 * network.
 */
export function networksData() {
  const inUnicast = specialIpv6Blocks.filter(({ network }) => /^[23][0-9a-f]{3}:/.test(network));
  return {
    ipv4: { cidr: '0.0.0.0/0', except: specialIpv4Blocks.map(networkOf) },
    ipv6: { cidr: globalIpv6Unicast, except: inUnicast.map(networkOf) },
    // Their addresses end in an IPv4 address.
    gateways: specialIpv6Blocks.filter(({ ipv4At }) => ipv4At?.includes(96) === true).map(networkOf),
  };
}

function networkOf({ network }: SpecialBlock): string {
  return network;
}

/** Returns the bounds of a duration, or of each duration in a list. */
function durationBounds({ kind }: Variable): { readonly minMs?: number; readonly maxMs?: number } {
  const [, min = '', max = ''] = /a duration from `(\w+)` to `(\w+)`$/.exec(kind.expected) ?? [];
  const [minMs, maxMs] = [parseDuration(min), parseDuration(max)];
  return minMs === undefined || maxMs === undefined ? {} : { minMs, maxMs };
}
