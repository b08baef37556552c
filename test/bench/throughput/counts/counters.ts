/**
 * Counters that run inside the measured process: the inspector evaluates their source there. They thus use nothing from
 * outside of themselves. Each leaves a function that returns its counts under `stopCounting`.
 */
export interface Counting {
  stopCounting: () => Readonly<Record<string, number>>;
}

interface KafkaApis {
  readonly brokerPorts: readonly number[];
  /** Names by API key. */
  readonly apis: Readonly<Record<number, string>>;
}

/** Counts the bytes that are allocated on V8's heap, and the requests that are sent to Kafka brokers. */
export function countHeapAndRequests({ brokerPorts, apis }: KafkaApis): void {
  const { GCProfiler, getHeapStatistics } = process.getBuiltinModule('node:v8');
  const { Socket } = process.getBuiltinModule('node:net');
  const requests: Record<string, number> = {};
  const inherited = Reflect.get(Socket.prototype, 'write') as (...parameters: unknown[]) => boolean;
  Socket.prototype.write = function (this: InstanceType<typeof Socket>, ...parameters: unknown[]) {
    const [chunk] = parameters;
    // A request begins with its length in four bytes, and its API key in two.
    if (Buffer.isBuffer(chunk) && chunk.length > 5 && brokerPorts.includes(this.remotePort ?? 0)) {
      const name = apis[chunk.readInt16BE(4)] ?? 'unknown requests';
      requests[name] = (requests[name] ?? 0) + 1;
    }
    return inherited.apply(this, parameters);
  };
  const profiler = new GCProfiler();
  const usedAtStart = getHeapStatistics().used_heap_size;
  profiler.start();
  (globalThis as Partial<Counting>).stopCounting = () => {
    const usedAtEnd = getHeapStatistics().used_heap_size;
    let [heapBytes, used] = [0, usedAtStart];
    for (const { beforeGC, afterGC } of profiler.stop().statistics) {
      heapBytes += beforeGC.heapStatistics.usedHeapSize - used;
      used = afterGC.heapStatistics.usedHeapSize;
    }
    Reflect.deleteProperty(Socket.prototype, 'write');
    return { ...requests, heapBytes: heapBytes + usedAtEnd - used };
  };
}

/** Counts the promises and timers that are created, and the timers that fire. */
export function countPromisesAndTimers(): void {
  const { createHook, executionAsyncResource } = process.getBuiltinModule('node:async_hooks');
  const counts = { promises: 0, timers: 0, timersFired: 0 };
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') counts.promises += 1;
      else if (type === 'Timeout') counts.timers += 1;
    },
    before() {
      if (executionAsyncResource().constructor?.name === 'Timeout') counts.timersFired += 1;
    },
  }).enable();
  (globalThis as Partial<Counting>).stopCounting = () => {
    hook.disable();
    return counts;
  };
}
