import type { FlowControl } from '../flow/flow-control.ts';
import type { Pool } from '../deliveries/delivery.ts';
import type { Gates } from '../flow/gates.ts';
import type { Intake } from '../kafka/consumer/admission.ts';
import { RetryIntake, type HeldByTopic } from '../kafka/consumer/retry-intake.ts';
import { type Tier, tierTopicsIn } from '../kafka/topics/wanted-topics.ts';
import type { Deliveries } from './deliveries.ts';
import type { ServiceContext } from './service-context.ts';

interface IntakeOptions
  extends
    Pick<ServiceContext, 'settings' | 'events' | 'clock'>,
    Pick<Deliveries, 'decoder' | 'pipeline' | 'attempts' | 'results'> {
  readonly gates: Gates;
  readonly flow: FlowControl;
}

export interface ServiceIntake extends Intake {
  /** Returns the records that are held until they are due. Always empty for the group of the certificate topics. */
  held(): HeldByTopic;
}

/** Creates the intake of one group, which passes its records to the pipeline. */
export function createIntake(pool: Pool, options: IntakeOptions): ServiceIntake {
  const { attempts, results, gates, flow, events } = options;
  const { whenReadable, handle, release, held } = createHandling(pool, options);
  return {
    whenReadable,
    handle,
    held,
    drain: () => {
      release();
      flow.drain();
      gates.drain(pool);
    },
    abort: () => {
      attempts.abort(pool);
      results?.abort();
    },
    open: () => gates.open(pool),
    recordConsumed: (record) => events.recordConsumed(record),
    recordSettled: (record, result) => events.recordSettled(record, result),
    recordsSkipped: (topic, records) => events.recordsSkipped(topic, records),
  };
}

/**
 * Bytes that a broker collects before it answers a fetch. A certificate is fetched at once. A record of a tier is not due
 * for seconds. One fetch for each of them would cost more than the request to the failing endpoint.
 */
export const minFetchBytes: Readonly<Record<Pool, number>> = { first: 1, retry: 64 * 1024 };

type Handling = Pick<ServiceIntake, 'whenReadable' | 'handle' | 'held'> & Pick<RetryIntake, 'release'>;

function createHandling(pool: Pool, { settings, decoder, pipeline, results, clock }: IntakeOptions): Handling {
  switch (pool) {
    case 'first':
      return {
        whenReadable: decoder.whenReadable,
        handle: (record, context) => pipeline.handleCertificate(record, context),
        release: () => undefined,
        held: () => new Map(),
      };
    case 'retry': {
      const { topicPrefix } = settings.retry;
      const tiers = new RetryIntake({ pipeline, results, clock, tierOf: (topic) => tierOf(topic, topicPrefix) });
      return {
        whenReadable: () => undefined,
        handle: (record, context) => void tiers.handle(record, context).catch((error: unknown) => context.fail(error)),
        release: () => tiers.release(),
        held: () => tiers.held(),
      };
    }
  }
}

function tierOf(topic: string, prefix: string): Tier {
  const [tier] = tierTopicsIn([topic], prefix);
  if (tier === undefined) throw new Error(`${topic} is no tier`);
  return tier;
}
