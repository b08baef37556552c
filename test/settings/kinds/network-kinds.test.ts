import { describe, expect, it } from 'vitest';
import {
  basicUserName,
  headerName,
  headerValue,
  host,
  hostAndPort,
  network,
  portRange,
  proxyUrl,
  oauthScope,
  serviceUrl,
  tokenUrl,
} from '../../../src/settings/kinds/network-kinds.ts';

describe('a range of ports', () => {
  it.each([
    ['443', { first: 443, last: 443 }],
    ['9000-9100', { first: 9000, last: 9100 }],
    ['1-65535', { first: 1, last: 65_535 }],
  ])('reads %s', (text, value) => {
    expect(portRange.parse(text)).toEqual({ kind: 'value', value });
  });

  it.each(['', '0', '65536', '9100-9000', '443-', '-443', '0-10', '1-65536', '1-2-3', 'https'])(
    'refuses %j',
    (text) => {
      expect(portRange.parse(text)).toEqual({ kind: 'wrong' });
    },
  );
});

describe('a network', () => {
  it.each(['10.0.0.0/8', '127.0.0.1/32', '0.0.0.0/0', 'fd00::/8', '::1/128'])('is %s', (text) => {
    expect(network.parse(text)).toEqual({ kind: 'value', value: text });
  });

  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'fe80::%eth0/64', 'localhost/8', '10.0.0.0/', '/8'])(
    'is not %s',
    (text) => {
      expect(network.parse(text)).toEqual({ kind: 'wrong' });
    },
  );
});

describe('a host to listen on', () => {
  it.each(['0.0.0.0', '::', '::1', 'localhost', 'a.b-c'])('is %s', (text) => {
    expect(host.parse(text)).toEqual({ kind: 'value', value: text });
  });

  it.each(['::', '::1', '2001:db8::1'])('is %s in brackets, too', (address) => {
    expect(host.parse(`[${address}]`)).toEqual({ kind: 'value', value: address });
  });

  it.each(['-a', 'a:80', 'http://a', 'a b', '[a]', '[127.0.0.1]', '[::1]:80'])('is not %s', (text) => {
    expect(host.parse(text)).toEqual({ kind: 'wrong' });
  });
});

describe('a host and its port', () => {
  it.each([
    ['instances.webhooks.svc:8080', { host: 'instances.webhooks.svc', port: 8080 }],
    ['10.0.0.1:80', { host: '10.0.0.1', port: 80 }],
    ['[2001:db8::17]:8080', { host: '2001:db8::17', port: 8080 }],
  ])('are read from %s', (text, value) => {
    expect(hostAndPort.parse(text)).toEqual({ kind: 'value', value });
  });

  it.each(['localhost', '::1:80', '[::1]', '[10.0.0.1]:80', 'a:0', 'a:65536', 'http://a:80'])(
    'are not read from %s',
    (text) => {
      expect(hostAndPort.parse(text)).toEqual({ kind: 'wrong' });
    },
  );
});

describe('the URL of a service', () => {
  it.each([
    ['https://registry:8081/', 'https://registry:8081'],
    ['http://Registry/api/', 'http://registry/api'],
  ])('reads %s', (text, value) => {
    expect(serviceUrl.parse(text)).toEqual({ kind: 'value', value });
  });

  it.each('registry:8081 ftp://a https://u:p@a https://u@a https://a?x=1 https://a#x https:// http:a'.split(' '))(
    'is not %s',
    (text) => {
      expect(serviceUrl.parse(text)).toEqual({ kind: 'wrong' });
    },
  );
});

describe('the URL of a token endpoint', () => {
  it.each([
    ['https://idp.example.com/token', 'https://idp.example.com/token'],
    ['HTTPS://IdP.example.com:8443/token?p=kafka', 'https://idp.example.com:8443/token?p=kafka'],
    ['http://localhost:8080/token', 'http://localhost:8080/token'],
    ['http://127.0.0.1/', 'http://127.0.0.1/'],
    ['http://[::1]:1/token', 'http://[::1]:1/token'],
  ])('can be %s', (text, value) => {
    expect(tokenUrl.parse(text)).toEqual({ kind: 'value', value });
  });

  it.each([
    'http://idp.example.com/token',
    'http://localhost.example.com/token',
    'https://u:p@idp/token',
    'https://idp/token#x',
    'idp/token',
    'https://',
  ])('is not %s', (text) => {
    expect(tokenUrl.parse(text)).toEqual({ kind: 'wrong' });
  });
});

describe('a scope', () => {
  it.each(['kafka', 'kafka read', 'api://kafka/.default'])('is %s', (text) => {
    expect(oauthScope.parse(text)).toEqual({ kind: 'value', value: text });
  });

  it.each(['', 'a  b', ' a', 'a"b', 'ä', 'a\nb', 'a'.repeat(1_001)])('is not %j', (text) => {
    expect(oauthScope.parse(text)).toEqual({ kind: 'wrong' });
  });
});

describe('the URL of a proxy', () => {
  it.each(['http://proxy:3128', 'https://user:pass%40word@proxy:3128/'])('keeps %s as a secret', (text) => {
    const parsed = proxyUrl.parse(text);
    expect(parsed.kind === 'value' && parsed.value.reveal()).toBe(text);
    expect(JSON.stringify(parsed)).toBe('{"kind":"value","value":"[secret]"}');
  });

  it.each(['proxy:3128', 'socks5://proxy:1080', 'http://proxy/path', 'http://proxy?x', 'http://proxy:99999'])(
    'is not %s',
    (text) => {
      expect(proxyUrl.parse(text)).toEqual({ kind: 'wrong' });
    },
  );
});

describe('the name of a header that the service adds', () => {
  it.each(['X-Event-Type', 'webhook-id', 'x!'])('can be %s', (text) => {
    expect(headerName.parse(text)).toEqual({ kind: 'value', value: text });
  });

  const refused = [
    'a: é Host content-length Content-Type Content-Encoding Transfer-Encoding Connection Keep-Alive TE Trailer',
    'Upgrade Expect HTTP2-Settings Proxy-Authorization Authorization X-API-Key User-Agent',
  ].flatMap((names) => names.split(' '));
  it.each(['', 'a b', 'x'.repeat(65), ...refused])('cannot be %j', (text) => {
    expect(headerName.parse(text)).toEqual({ kind: 'wrong' });
  });

  it('has a value of printable ASCII', () => {
    expect(headerValue.parse('certificate-webhooks/1 (ops@example.com)').kind).toBe('value');
    for (const text of ['', 'a\r\nb', 'é', 'x'.repeat(257)]) expect(headerValue.parse(text).kind).toBe('wrong');
  });
});

describe('a user name for Basic authentication', () => {
  it('has no colon', () => {
    expect(basicUserName.parse('service 1').kind).toBe('value');
    expect(basicUserName.parse('service:1').kind).toBe('wrong');
  });
});
