import { setTimeout } from 'node:timers/promises';
import type { Message, Producer } from 'kafkajs';
import { aCertificateDocument, json } from '../../support/builders.ts';
import { idOf, machineTimeMs } from '../written-at.ts';
import { partitionOf } from './partitions.ts';

interface LoadOptions {
  readonly producer: Producer;
  readonly topic: string;
  /** Chooses the endpoint of a certificate by the certificate's number. */
  readonly endpointOf: (number: number) => number;
}

const writeEveryMs = 20;
const batchSize = 500;

/** Writes certificates whose ids hold the time of the write. */
export class Load {
  readonly #options: LoadOptions;
  #written = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Writes at a steady pace. Resolves to the endpoint of each certificate. */
  async steady(perSecond: number, forMs: number): Promise<readonly number[]> {
    const endpoints: number[] = [];
    const start = machineTimeMs();
    for (let now = start; now < start + forMs; now = machineTimeMs()) {
      const due = Math.floor(((now - start) * perSecond) / 1000) - endpoints.length;
      if (due > 0) endpoints.push(...(await this.#write(due)));
      await setTimeout(writeEveryMs);
    }
    return endpoints;
  }

  /** Writes as fast as the broker accepts. Resolves to the endpoint of each certificate. */
  async burst(count: number): Promise<readonly number[]> {
    const endpoints: number[] = [];
    while (endpoints.length < count) {
      endpoints.push(...(await this.#write(Math.min(batchSize, count - endpoints.length))));
    }
    return endpoints;
  }

  async #write(count: number): Promise<readonly number[]> {
    const { producer, topic, endpointOf } = this.#options;
    const endpoints = Array.from({ length: count }, (_, index) => endpointOf(this.#written + index));
    const messages = endpoints.map((endpoint, index): Message => {
      const key = ownerOf(endpoint);
      const _id = idOf(this.#written + index, machineTimeMs());
      return { partition: partitionOf(endpoint), key, value: json(aCertificateDocument({ _id, _ownerId: key })) };
    });
    this.#written += count;
    await producer.send({ topic, acks: -1, messages });
    return endpoints;
  }
}

export function ownerOf(endpoint: number): string {
  return `owner-${endpoint}`;
}
