import type { Codec } from './value-codec.ts';
import type { FramedValues } from './framing.ts';
import { parseJson } from './json.ts';
import { renderCertificate } from './render.ts';

/** Framed values as certificate records. What is judged of a rendered one is what subscribers will read. */
export function createFramedCodec(framed: FramedValues): Codec {
  return (value) => {
    const reading = framed.read(value);
    switch (reading.kind) {
      case 'plain':
        return parseJson(renderCertificate(reading.value));
      case 'json':
        return { kind: 'parsed', document: reading.document, body: reading.bytes };
      case 'undecodable':
        return reading;
    }
  };
}
