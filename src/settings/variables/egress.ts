import { certificates } from '../kinds/file-kinds.ts';
import { listOf, noneTwice } from '../kinds/list-kind.ts';
import { network, portRange, proxyUrl } from '../kinds/network-kinds.ts';
import type { VariableGroup, Variables } from '../variable.ts';

const variables = {
  DELIVERY_ALLOWED_PORTS: {
    kind: listOf(
      portRange,
      noneTwice(({ first, last }) => `${first}-${last}`),
    ),
    default: '443',
    meaning: 'The ports and ranges of ports that a webhook may point at.',
  },
  DELIVERY_ALLOWED_NETWORKS: {
    kind: listOf(network, noneTwice(String)),
    meaning: 'The networks that webhooks may lead to although they are not public.',
  },
  DELIVERY_CA_FILE: {
    kind: certificates,
    file: true,
    meaning: "Certificate authorities that may vouch for a subscriber's endpoint, next to the public ones.",
  },
  DELIVERY_PROXY_URL: {
    kind: proxyUrl,
    secret: true,
    meaning:
      "An egress proxy, asked for a tunnel by `CONNECT`. Names are then resolved there: only ports and literal addresses are still checked here, the rest of the policy is the proxy's.",
  },
} satisfies Variables;

export const egressVariables = { title: 'Egress', variables } satisfies VariableGroup;
