import { isFramed, type FramedValues } from '../../certificates/framing.ts';
import { framedDocument } from '../../kafka/reader/framed-document.ts';
import { unlessAborted } from '../../lib/aborted.ts';

/**
 * Returns the JSON of a value, decoded if it is framed. Returns the framed bytes, which are no JSON, if the signal
 * aborts first.
 */
export async function unframe(value: Buffer, framed: FramedValues, signal: AbortSignal): Promise<Buffer> {
  if (!isFramed(value)) return value;
  try {
    for (let wait = framed.whenReadable(value); wait !== undefined; wait = framed.whenReadable(value)) {
      await unlessAborted(signal, wait);
    }
    return framedDocument(value, framed);
  } catch (error) {
    if (!signal.aborted) throw error;
    return value;
  }
}
