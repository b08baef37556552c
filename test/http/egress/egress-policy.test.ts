import { assert as assertProperty, constantFrom, integer, oneof, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEgressPolicy } from '../../../src/http/egress/egress-policy.ts';
import { specialIpv4Blocks } from '../../../src/http/egress/special-addresses.ts';

const anyPort = [{ first: 1, last: 65_535 }];
const publicOnly = createEgressPolicy({ allowedPorts: anyPort, allowedNetworks: [] });

describe('without exceptions, the policy', () => {
  it.each(
    [
      '0.0.0.0 0.1.2.3 10.1.2.3 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.255 169.254.169.254 169.254.170.2',
      '172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.1.1',
      '192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255',
      '168.63.129.16',
      ':: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 ::ffff:0:7f00:1 64:ff9b::7f00:1 64:ff9b::808:808',
      '64:ff9b:1::1 100::1 100:0:0:1::1 2001::1 2001:0:4136:e378::1 2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff::1',
      '2001:db8::1 2002:7f00:1::1 2002:808:808::1 2620:4f:8000::1 3fff::1 3fff:fff::1 5f00::1 fc00::1 fd00:ec2::254',
      'fd20:ce::254 fe80::1 febf::1 fec0::1 ff02::1 1fff::1 4000::1',
    ].flatMap((line) => line.split(' ')),
  )('refuses %s', (address) => {
    expect(publicOnly.refuseAddress(address)).toMatch(/^the address is not public( but .+)?$/);
  });

  it.each(
    [
      '1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.1.1.1 128.0.0.1 168.63.129.15 169.253.0.1',
      '172.15.255.255 172.32.0.1 192.0.1.1 192.167.1.1 192.169.0.1 198.17.255.255 198.20.0.1 223.255.255.255',
      '2000::1 2001:200::1 2001:4860:4860::8888 2003::1 2400:cb00::1 2606:4700:4700::1111 2620:0:2d0::1 3ffe::1',
    ].flatMap((line) => line.split(' ')),
  )('allows %s', (address) => {
    expect(publicOnly.refuseAddress(address)).toBeUndefined();
  });

  it.each(' localhost 1.2.3 1.2.3.4.5 256.1.1.1 0x7f.1 2130706433 [::1] 2606:4700::1%eth0 fe80::1%1'.split(' '))(
    'refuses %j, which is no address',
    (text) => {
      expect(publicOnly.refuseAddress(text)).toBe('what the host name leads to is no address');
    },
  );

  it('says what an address is for', () => {
    expect(publicOnly.refuseAddress('10.0.0.1')).toBe('the address is not public but for private use');
  });
});

describe('an exception', () => {
  const policy = createEgressPolicy({
    allowedPorts: anyPort,
    allowedNetworks: ['10.20.0.0/16', 'fd00:1::/32', '::ffff:0:0/96', '0.0.0.0/32'],
  });

  it.each(['10.20.0.1', '10.20.255.255', 'fd00:1::1', 'fd00:1:ffff::1', '0.0.0.0'])('allows %s', (address) => {
    expect(policy.refuseAddress(address)).toBeUndefined();
  });

  it.each(['10.21.0.1', '10.19.255.255', 'fd00:2::1', '127.0.0.1', '169.254.169.254'])(
    'leaves %s refused',
    (address) => {
      expect(policy.refuseAddress(address)).toBeDefined();
    },
  );

  it('of one family says nothing about the other', () => {
    const everyIpv4 = createEgressPolicy({ allowedPorts: anyPort, allowedNetworks: ['0.0.0.0/0'] });
    const everyIpv6 = createEgressPolicy({ allowedPorts: anyPort, allowedNetworks: ['::/0'] });
    expect(everyIpv4.refuseAddress('127.0.0.1')).toBeUndefined();
    expect(everyIpv4.refuseAddress('::ffff:127.0.0.1')).toBeDefined();
    expect(everyIpv6.refuseAddress('::1')).toBeUndefined();
    expect(everyIpv6.refuseAddress('127.0.0.1')).toBeDefined();
  });

  it.each(['10.0.0.0', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', 'localhost/8', '/8'])(
    'is not made of %j',
    (network) => {
      expect(() => createEgressPolicy({ allowedPorts: [], allowedNetworks: [network] })).toThrow(RangeError);
    },
  );
});

describe('an IPv4 address inside an allowed IPv6 one', () => {
  const translating = (allowedNetworks: readonly string[]) =>
    createEgressPolicy({ allowedPorts: anyPort, allowedNetworks, deniedNetworks: ['8.8.4.0/24'] });

  it('is not reached through NAT64 if it is of a metadata service or private', () => {
    const policy = translating(['64:ff9b::/96']);
    expect(policy.refuseAddress('64:ff9b::a9fe:a9fe')).toBe(
      'of the IPv4 address inside it: the address is not public but link-local',
    );
    expect(policy.refuseAddress('64:ff9b::a00:1')).toMatch(/ for private use$/);
    expect(policy.refuseAddress('64:ff9b::808:404')).toBe(
      'of the IPv4 address inside it: the address is in a denied network',
    );
    expect(policy.refuseAddress('64:ff9b::808:808')).toBeUndefined();
  });

  it('is reached if it is in an allowed network itself', () => {
    const policy = translating(['64:ff9b::/96', '10.0.0.0/8']);
    expect(policy.refuseAddress('64:ff9b::10.0.0.1')).toBeUndefined();
    expect(policy.refuseAddress('64:ff9b::192.168.0.1')).toBeDefined();
  });

  // The examples of RFC 6052, 2.4, and those of RFC 3056 and RFC 4291.
  it.each([
    ['64:ff9b:1::/48', '64:ff9b:1:7f00:0:100::'],
    ['64:ff9b:1::/56', '64:ff9b:1:7f:0:1::'],
    ['64:ff9b:1::/64', '64:ff9b:1:0:7f:0:100:0'],
    ['64:ff9b:1:fffe::/96', '64:ff9b:1:fffe::127.0.0.1'],
    ['64:ff9b::7f00:0/104', '64:ff9b::127.0.0.1'],
    ['2002::/16', '2002:7f00:1::1'],
    ['::ffff:0:0/96', '::ffff:127.0.0.1'],
    ['::ffff:0:0:0/96', '::ffff:0:127.0.0.1'],
    ['::/96', '::127.0.0.1'],
    ['::/0', '64:ff9b::127.0.0.1'],
  ])('with the exception %s, is that of this machine in %s', (network, address) => {
    expect(translating([network]).refuseAddress(address)).toBe(
      'of the IPv4 address inside it: the address is not public but a loopback address',
    );
    expect(translating([network, '127.0.0.0/8']).refuseAddress(address)).toBeUndefined();
  });

  it('is judged by the rules for IPv4 alone', () => {
    const policy = translating(['64:ff9b::/96', '10.20.0.0/16']);
    assertProperty(
      property(oneof(integer({ min: 0, max: 0xffff_ffff }), constantFrom(...borderNumbers)), (number) => {
        const bytes = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);
        const isRefused = policy.refuseAddress(bytes.join('.')) !== undefined;
        expect(policy.refuseAddress(`64:ff9b::${bytes.join('.')}`) !== undefined).toBe(isRefused);
      }),
    );
  });
});

/** The first address of each special block, as a number, and the one before it. */
const borderNumbers = specialIpv4Blocks.flatMap(({ network }) => {
  const [address = ''] = network.split('/');
  const first = Buffer.from(address.split('.').map(Number)).readUInt32BE();
  return [first, Math.max(first - 1, 0)];
});

describe('a denied network', () => {
  const policy = createEgressPolicy({
    allowedPorts: anyPort,
    allowedNetworks: ['10.0.0.0/8', 'fd00::/8'],
    deniedNetworks: ['199.36.153.8/30', '2600:2d00:1::/48', '10.96.0.0/12', 'fd00:1::/32'],
  });

  it.each(['199.36.153.8', '2600:2d00:1::1', '10.96.0.1', '10.111.255.255', 'fd00:1:2::3'])(
    'holds %s, which is refused although it is public or allowed',
    (address) => {
      expect(policy.refuseAddress(address)).toBe('the address is in a denied network');
    },
  );

  it.each(['199.36.153.7', '199.36.153.12', '2600:2d00:2::1', '10.95.255.255', '10.112.0.0', 'fd00:2::1'])(
    'changes nothing about %s beside it',
    (address) => {
      expect(policy.refuseAddress(address)).toBeUndefined();
    },
  );

  it('leaves what is not public refused as before', () => {
    expect(policy.refuseAddress('192.168.0.1')).toBe('the address is not public but for private use');
  });
});

describe('an address of this machine', () => {
  let own = ['93.184.215.14', '2606:2800:21f:cb07::1'];
  const options = { allowedPorts: anyPort, ownAddresses: () => own };
  const policy = createEgressPolicy({ ...options, allowedNetworks: [] });

  it.each(['93.184.215.14', '2606:2800:21f:cb07::1', '2606:2800:021F:CB07:0:0:0:1'])(
    'is refused although it is public: %s',
    (address) => {
      expect(policy.refuseAddress(address)).toBe('the address is of this machine');
    },
  );

  it('is looked up at each check', () => {
    expect(policy.refuseAddress('93.184.215.15')).toBeUndefined();
    own = ['93.184.215.15'];
    expect(policy.refuseAddress('93.184.215.15')).toBe('the address is of this machine');
  });

  it('is allowed by an exception', () => {
    const excepted = createEgressPolicy({ ...options, allowedNetworks: ['93.184.215.0/24'] });
    expect(excepted.refuseAddress('93.184.215.15')).toBeUndefined();
  });
});

describe('a port', () => {
  const policy = createEgressPolicy({
    allowedPorts: [
      { first: 443, last: 443 },
      { first: 9000, last: 9100 },
    ],
    allowedNetworks: [],
  });

  it.each([443, 9000, 9050, 9100])('%d is allowed', (port) => {
    expect(policy.refusePort(port)).toBeUndefined();
  });

  it.each([0, 22, 80, 442, 444, 8999, 9101, 65_535])('%d is refused', (port) => {
    expect(policy.refusePort(port)).toBe(`port ${port} is not allowed`);
  });
});
