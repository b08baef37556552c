import type { ConfigurationChange, ConfigurationSink } from './directory.ts';
import { describeException } from './sealing/document-limits.ts';

/** Passes one version on. If that throws, this configuration alone is refused, and the caller goes on with the others. */
export function applyChange(sink: Pick<ConfigurationSink, 'upsert' | 'refuse'>, change: ConfigurationChange): void {
  try {
    if ('problem' in change) sink.refuse(change.id, change.problem);
    else sink.upsert(change.id, change.document, change.closed);
  } catch (error) {
    sink.refuse(change.id, `can not be applied: ${describeException(error)}`);
  }
}
