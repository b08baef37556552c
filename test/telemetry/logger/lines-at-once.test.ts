import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { makeLinesAtOnce } from '../../../src/telemetry/logger/logger.ts';

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 120 }), fc.constantFrom('', '"\\', '\n', 'é'));
const plain = fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constantFrom(null, undefined, Number.NaN));
const nested = fc.oneof(plain, fc.array(plain), fc.dictionary(text, plain));
const someFields = fc.dictionary(text, nested);

it('a line is the one that pino itself makes', () => {
  fc.assert(
    fc.property(text, someFields, (event, others) => {
      const fields = { event, ...others };
      expect(linesOf(makeLinesAtOnce, fields)).toEqual(linesOf((logger) => logger, fields));
    }),
  );
});

/** Returns the lines of a logger, and of a child of it, as they are with and without a message. */
function linesOf(adjust: typeof makeLinesAtOnce, fields: Readonly<Record<string, unknown>>): readonly string[] {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const options = {
    base: { service: 'certificate-webhooks', version: '1.2.3' },
    timestamp: () => ',"time":"2026-11-21T12:00:00.000Z"',
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: () => 'serialized' },
  };
  const logger = adjust(pino(options, destination));
  logger.info(fields);
  logger.child({ bound: true }).warn(fields);
  logger.error(fields, 'a message with %s', 'more');
  logger.error({ ...fields, err: new Error('hunter2') });
  logger.error({ ...fields, err: { code: 'hunter2' } });
  logger.info({});
  return lines;
}
