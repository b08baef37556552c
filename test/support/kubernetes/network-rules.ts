import { BlockList, isIPv4 } from 'node:net';
import type { Kinds } from './kinds.ts';

type EgressRule = NonNullable<NonNullable<Kinds['NetworkPolicy']['spec']>['egress']>[number];
type IpBlock = NonNullable<NonNullable<EgressRule['to']>[number]['ipBlock']>;

/** Tests if a NetworkPolicy lets pods connect to an address outside the cluster. */
export function allowsEgress({ spec }: Kinds['NetworkPolicy'], address: string, port: number): boolean {
  return (spec?.egress ?? []).some(
    ({ ports = [], to = [] }) =>
      (ports.length === 0 || ports.some((one) => isPort(one, port))) &&
      (to.length === 0 || to.some(({ ipBlock }) => ipBlock !== undefined && isInBlock(ipBlock, address))),
  );
}

function isPort(
  { port: first, endPort, protocol = 'TCP' }: NonNullable<EgressRule['ports']>[number],
  port: number,
): boolean {
  if (protocol !== 'TCP') return false;
  return first === undefined || (typeof first === 'number' && first <= port && port <= (endPort ?? first));
}

function isInBlock({ cidr, except = [] }: IpBlock, address: string): boolean {
  return isInNetwork(cidr, address) && !except.some((network) => isInNetwork(network, address));
}

/** Tests if the network contains the address. False when they are of different families. */
export function isInNetwork(network: string, address: string): boolean {
  const [base = '', bits = ''] = network.split('/');
  if (isIPv4(base) !== isIPv4(address)) return false;
  const list = new BlockList();
  const family = isIPv4(base) ? 'ipv4' : 'ipv6';
  list.addSubnet(base, Number(bits), family);
  return list.check(address, family);
}
