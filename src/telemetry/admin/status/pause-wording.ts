import type { PauseReason } from '../../../backpressure/pause-reason.ts';
import { html, type Html } from './html.ts';

/** Says in words why a partition is paused, and names the setting or log event to look at. */
export function pauseWording(reason: PauseReason): Html {
  const { words, lookAt } = wordings[reason];
  return lookAt === undefined ? html`${words}` : html`${words}, see <code>${lookAt}</code>`;
}

interface Wording {
  readonly words: string;
  /** A setting, or the event of a log line; undefined if there is none. */
  readonly lookAt: string | undefined;
}

const wordings: Readonly<Record<PauseReason, Wording>> = {
  window: {
    words: 'records wait for their start, because the window of active deliveries is full',
    lookAt: 'DELIVERY_MAX_WAITING_PER_ENDPOINT',
  },
  waiting_room: {
    words: 'records wait for a place in the waiting room of a healthy endpoint',
    lookAt: 'DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT',
  },
  deliveries: { words: 'its unsettled deliveries use up its share', lookAt: 'INTAKE_MAX_RECORDS' },
  records: { words: 'its unsettled records use up its share', lookAt: 'INTAKE_MAX_RECORDS' },
  bytes: { words: 'the bytes of its unsettled records use up its share', lookAt: 'INTAKE_MAX_BYTES' },
  span: { words: 'its oldest unsettled record holds its commit back', lookAt: 'INTAKE_MAX_SPAN' },
  schema: { words: 'the schema of its next record is not known yet', lookAt: 'SCHEMA_REGISTRY_URL' },
  turn: { words: 'what was read is started, some in each turn of the event loop', lookAt: undefined },
  undecodable: { words: 'its next batch could not be decoded', lookAt: 'partition.unreadable' },
};
