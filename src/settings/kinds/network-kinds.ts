import { isIP, isIPv4, isIPv6 } from 'node:net';
import { headerNameProblem } from '../../webhooks/header-rules.ts';
import { kindOf, matching, type Kind } from './kind.ts';
import type { PortRange } from '../../lib/port-range.ts';
import { Secret } from '../../lib/secret.ts';

const highestPort = 65_535;

export const portRange: Kind<PortRange> = kindOf(
  `a port or a range of ports from 1 to ${highestPort}, such as \`443\` or \`9000-9100\``,
  (text) => {
    const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
    const range = { first: Number(first), last: Number(last) };
    return range.first >= 1 && range.first <= range.last && range.last <= highestPort ? range : undefined;
  },
);

/** Refuses IPv6 zones: they are valid on one machine only. */
export const network: Kind<string> = kindOf('a CIDR, such as `10.0.0.0/8` or `fd00::/8`', (text) => {
  const [, address = '', prefix] = /^([^/%]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (isIP(address) === 0) return undefined;
  return Number(prefix) <= (isIPv4(address) ? 32 : 128) ? text : undefined;
});

/** An address or a name of this machine, to listen on. Takes the brackets off an IPv6 address. */
export const host: Kind<string> = kindOf('an IP address or a host name', (text) => {
  const [, address] = /^\[(.+)\]$/.exec(text) ?? [];
  if (address !== undefined) return isIPv6(address) ? address : undefined;
  return isIP(text) !== 0 || /^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,252}[a-zA-Z0-9])?$/.test(text) ? text : undefined;
});

/** A port of a host to connect to. An IPv6 address has no brackets here. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Refuses IPv6 zones: they are valid on one machine only. */
export const hostAndPort: Kind<HostAndPort> = kindOf('`host:port`, with an IPv6 address in brackets', (text) => {
  const [, name, address, port] = /^(?:([a-zA-Z0-9._-]{1,255})|\[([\d.:a-fA-F]{2,45})\]):(\d{1,5})$/.exec(text) ?? [];
  const isPort = Number(port) >= 1 && Number(port) <= highestPort;
  const connectable = address !== undefined && isIPv6(address) ? address : name;
  return connectable === undefined || !isPort ? undefined : { host: connectable, port: Number(port) };
});

/** Normalized by the WHATWG parser, without a trailing slash. */
export const serviceUrl: Kind<string> = kindOf(
  'an absolute `http:` or `https:` URL without user info, query or fragment',
  (text) => {
    const url = httpUrl(text);
    return url === undefined || hasUserInfo(url) ? undefined : url.href.replace(/\/+$/, '');
  },
);

/** Hosts that need no TLS, because their requests do not leave the machine or the pod. */
const loopbackHost = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** A token endpoint may have a query (RFC 6749, section 3.2). */
export const tokenUrl: Kind<string> = kindOf(
  'an absolute `https:` URL without user info or fragment, or an `http:` one on this machine',
  (text) => {
    const url = /^https?:\/\/[^#\s]+$/i.test(text) ? (URL.parse(text) ?? undefined) : undefined;
    if (url === undefined || hasUserInfo(url)) return undefined;
    return url.protocol === 'https:' || loopbackHost.test(url.hostname) ? url.href : undefined;
  },
);

/** The syntax of RFC 6749, section 3.3. */
export const oauthScope: Kind<string> = matching(
  'up to 1000 characters: scopes of printable ASCII without quotes and backslashes, separated by single spaces',
  /^(?=.{1,1000}$)[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/,
);

/** A secret, because it may contain a user name and a password. */
export const proxyUrl: Kind<Secret> = kindOf(
  'an `http:` or `https:` URL with host and port, and with user name and password if the proxy needs them',
  (text) => (httpUrl(text)?.pathname === '/' ? new Secret(text) : undefined),
);

function httpUrl(text: string): URL | undefined {
  return /^https?:\/\/[^?#\s]+$/i.test(text) ? (URL.parse(text) ?? undefined) : undefined;
}

function hasUserInfo(url: URL): boolean {
  return url.username !== '' || url.password !== '';
}

/** Headers that have their own variable, or their own field in a webhook configuration. */
const otherwiseSetNames: ReadonlySet<string> = new Set(['user-agent', 'authorization', 'x-api-key']);

export const headerName: Kind<string> = kindOf(
  'an RFC 9110 header name that is not used for framing, the connection or credentials',
  (text) => {
    const isOurs = headerNameProblem(text) === undefined && !otherwiseSetNames.has(text.toLowerCase());
    return isOurs && text.length <= 64 ? text : undefined;
  },
);

/** Refuses colons: a colon ends the user name (RFC 7617, section 2). */
export const basicUserName: Kind<string> = matching(
  'up to 256 printable ASCII characters without a colon',
  /^[\x20-\x39\x3b-\x7e]{1,256}$/,
);

export const headerValue: Kind<string> = matching('up to 256 printable ASCII characters', /^[\x20-\x7e]{1,256}$/);
