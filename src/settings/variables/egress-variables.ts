import { certificates } from '../kinds/file-kinds.ts';
import { listOf, unique } from '../kinds/list-kind.ts';
import { network, portRange, proxyUrl } from '../kinds/network-kinds.ts';
import type { Variables } from '../variable.ts';

export const egressVariables = {
  DELIVERY_ALLOWED_PORTS: {
    kind: listOf(
      portRange,
      unique(({ first, last }) => `${first}-${last}`),
    ),
    default: '443',
    description: 'The ports that a webhook URL may have.',
  },
  DELIVERY_ALLOWED_NETWORKS: {
    kind: listOf(network, unique(String)),
    description: 'Private networks that webhooks may reach.',
  },
  DELIVERY_CA_FILE: {
    kind: certificates,
    file: true,
    description: "Certificate authorities to trust for subscribers' endpoints, in addition to the public ones.",
  },
  DELIVERY_PROXY_URL: {
    kind: proxyUrl,
    secret: true,
    description:
      'An egress proxy. The service opens tunnels through it with `CONNECT`, and the proxy resolves names. The service then checks only ports and literal addresses: the proxy must enforce everything else.',
  },
} satisfies Variables;
