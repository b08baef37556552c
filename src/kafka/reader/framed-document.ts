import type { FramedValues } from '../../certificates/framing.ts';
import { toJson, withoutUnset } from '../../certificates/plain.ts';

/**
 * The JSON that a framed value stands for: a field that is unset is one that is not there. What can't be read stays as it
 * came, which is no JSON to anybody.
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
