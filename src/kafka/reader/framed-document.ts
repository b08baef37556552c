import type { FramedValues } from '../../certificates/framing.ts';
import { toJson, withoutUnset } from '../../certificates/plain.ts';

/**
 * Converts a framed value to JSON, without fields that are unset. Returns an undecodable value unchanged. Its framing makes
 * it invalid JSON, so it is rejected later.
 */
export function framedDocument(value: Buffer, framed: FramedValues): Buffer {
  const reading = framed.read(value);
  switch (reading.kind) {
    case 'plain':
      return Buffer.from(toJson(withoutUnset(reading.value)), 'utf8');
    case 'json':
      return reading.bytes;
    case 'undecodable':
      return value;
  }
}
