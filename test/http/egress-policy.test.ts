import { describe, expect, it } from 'vitest';
import { createEgressPolicy } from '../../src/http/egress-policy.ts';

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

  it.each([
    '',
    'localhost',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '2606:4700::1%eth0',
    'fe80::1%1',
  ])('refuses %j, which is no address', (text) => {
    expect(publicOnly.refuseAddress(text)).toBe('what the host name leads to is no address');
  });

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
