import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';

/** The length of the queue of connections, and one more that Linux allows. */
const queued = 2;

/** The code of a thread that listens and never accepts, because it is blocked. */
const listenAndBlock = `
  const { createServer } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  createServer().listen({ ...workerData, backlog: 1 }, () => {
    parentPort.postMessage('listening');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

/** Makes an address and port silent: the queue of connections is full, so Linux drops further ones without an answer. */
export async function startSilentListener(host: string, port: number): Promise<AsyncDisposable> {
  const worker = new Worker(listenAndBlock, { eval: true, workerData: { host, port } });
  await once(worker, 'message');
  const sockets = Array.from({ length: queued }, () => connect({ host, port }).on('error', () => undefined));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await worker.terminate();
    },
  };
}
