import { isFramed, type FramedValues } from '../../certificates/framing.ts';
import { unlessAborted } from '../../lib/aborted.ts';
import { framedDocument, type FramedDocument } from '../../webhooks/framed-document.ts';

/** Returns the JSON of a value, decoded if it is framed. Refuses a framed value if the signal aborts first. */
export async function unframe(
  value: Buffer,
  framed: Pick<FramedValues, 'whenReadable' | 'read'>,
  signal: AbortSignal,
): Promise<FramedDocument> {
  if (!isFramed(value)) return { kind: 'json', bytes: value };
  try {
    for (let wait = framed.whenReadable(value); wait !== undefined; wait = framed.whenReadable(value)) {
      await unlessAborted(signal, wait);
    }
    return framedDocument(value, framed);
  } catch (error) {
    if (!signal.aborted) throw error;
    return { kind: 'refused', problem: 'is framed with a schema that the schema registry has not given' };
  }
}
