import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { systemClock, type Clock } from '../../../../src/lib/clock.ts';
import { MemoryBroker } from '../../../simulation/broker/memory-broker.ts';
import type { RunningKafka } from '../cluster/start-kafka.ts';
import type { Address, Served } from './api.ts';
import { serveConnection } from './connections.ts';
import { groupApis } from './group-apis.ts';
import { membershipApis } from './membership-apis.ts';
import { metadataApis } from './metadata-apis.ts';
import { recordApis } from './record-apis.ts';
import { StoredBatches } from './stored-batches.ts';
import { topicApis } from './topic-apis.ts';
import { TopicSettings } from './topic-settings.ts';

/** The memory broker of the simulation, as a Kafka cluster of one broker that any client can use. */
export interface MemoryKafka extends RunningKafka {
  readonly broker: MemoryBroker;
}

const host = '127.0.0.1';

/**
 * Starts the memory broker with a front that speaks Kafka's protocol, so that the real client works on it unchanged.
 *
 * It needs nothing but Node. It serves one version of each request that the service and its tests send, and closes a
 * connection that asks for another. Compaction, retention, transactions, access control and TLS are missing.
 */
export async function startMemoryKafka(): Promise<MemoryKafka> {
  const clock = disposableClock(systemClock);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // The loop that reads from the connection gets the error too. Without a listener, one of a later write ends the process.
    socket.on('error', () => undefined);
    serveConnection(socket, apis).catch((error: unknown) => {
      const isClosed = socket.destroyed && error instanceof Error && 'code' in error;
      if (!isClosed) process.stderr.write(`The memory broker closed a connection: ${String(error)}\n`);
      socket.destroy();
    });
  });
  const address = (): Address => ({ host, port: (server.address() as AddressInfo).port });
  const served: Served = {
    broker: new MemoryBroker(clock),
    batches: new StoredBatches(),
    settings: new TopicSettings(),
    clusterId: randomBytes(16).toString('base64url'),
    address,
  };
  const apis = [
    ...recordApis(served),
    ...metadataApis(served),
    ...topicApis(served),
    ...groupApis(served),
    ...membershipApis(served),
  ];
  server.listen(0, host);
  await once(server, 'listening');
  return {
    broker: served.broker,
    brokers: [`${host}:${address().port}`],
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      clock[Symbol.dispose]();
      await closed;
    },
  };
}

/** Returns the same clock with an end. Disposing it cancels what it has not run yet. */
function disposableClock(clock: Clock): Clock & Disposable {
  const timers = new Set<Disposable>();
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after(ms, run) {
      const timer = clock.after(ms, () => {
        timers.delete(timer);
        run();
      });
      timers.add(timer);
      return {
        [Symbol.dispose]() {
          timers.delete(timer);
          timer[Symbol.dispose]();
        },
      };
    },
    [Symbol.dispose]() {
      for (const timer of timers) timer[Symbol.dispose]();
      timers.clear();
    },
  };
}
