import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

export const portsPerBroker = 10;

/**
 * Finds `count` neighbouring free ports and returns the first. They are below the range of outgoing connections. Otherwise
 * such a connection could take the port of a stopped broker.
 */
export async function findFreePorts(count: number): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const first = 20_000 + portsPerBroker * randomInt(900);
    if (await areFree(first, count)) return first;
  }
  throw new Error(`No ${count} neighbouring ports between 20000 and 29999 are free.`);
}

async function areFree(first: number, count: number): Promise<boolean> {
  for (let port = first; port < first + count; port += 1) if (!(await isFree(port))) return false;
  return true;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
