import { isFramed, type FramedValues } from '../../certificates/framing.ts';
import { framedDocument } from '../../kafka/reader/framed-document.ts';
import { unlessAborted } from '../../lib/aborted.ts';

/** The JSON that a value of the topic is or stands for. What can't be read in time stays as it is, which is no JSON. */
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
