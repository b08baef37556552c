import { setTimeout } from 'node:timers/promises';
import type { Message, Producer } from 'kafkajs';
import { aCertificateDocument, json } from '../../support/builders.ts';
import { idOf, machineTimeMs } from '../written-at.ts';
import { partitionOf } from './partitions.ts';

interface LoadOptions {
  readonly producer: Producer;
  readonly topic: string;
  /** To whom the certificate with that number goes. */
  readonly endpointOf: (number: number) => number;
}

const everyMs = 20;
const batchSize = 500;

/** Writes certificates; each says when it was written. */
export class Load {
  readonly #options: LoadOptions;
  #made = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** At a steady pace. Resolves to the numbers of certificates by endpoint. */
  async steady(perSecond: number, forMs: number): Promise<readonly number[]> {
    const endpoints: number[] = [];
    const start = machineTimeMs();
    for (let now = start; now < start + forMs; now = machineTimeMs()) {
      const due = Math.floor(((now - start) * perSecond) / 1000) - endpoints.length;
      if (due > 0) endpoints.push(...(await this.#write(due)));
      await setTimeout(everyMs);
    }
    return endpoints;
  }

  /** As fast as they can be written. */
  async burst(count: number): Promise<readonly number[]> {
    const endpoints: number[] = [];
    while (endpoints.length < count) {
      endpoints.push(...(await this.#write(Math.min(batchSize, count - endpoints.length))));
    }
    return endpoints;
  }

  async #write(count: number): Promise<readonly number[]> {
    const { producer, topic, endpointOf } = this.#options;
    const endpoints = Array.from({ length: count }, (_, index) => endpointOf(this.#made + index));
    const messages = endpoints.map((endpoint, index): Message => {
      const key = ownerOf(endpoint);
      const _id = idOf(this.#made + index, machineTimeMs());
      return { partition: partitionOf(endpoint), key, value: json(aCertificateDocument({ _id, _ownerId: key })) };
    });
    this.#made += count;
    await producer.send({ topic, acks: -1, messages });
    return endpoints;
  }
}

export function ownerOf(endpoint: number): string {
  return `owner-${endpoint}`;
}
