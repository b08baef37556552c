import { ExactNumber } from '../plain.ts';

/** Units per millisecond, by logical type. Local timestamps count as UTC, like the contract's dates. */
export const timestampUnits: ReadonlyMap<unknown, bigint> = new Map(
  ['', 'local-'].flatMap((prefix) => [
    [`${prefix}timestamp-millis`, 1n],
    [`${prefix}timestamp-micros`, 1_000n],
    [`${prefix}timestamp-nanos`, 1_000_000n],
  ]),
);

/** Decodes a big-endian two's complement integer, with `places` of its digits after the decimal point. */
export function decimal(bytes: Buffer, places: number): ExactNumber {
  const unscaled = bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`));
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(places + 1, '0');
  const point = digits.length - places;
  const fraction = places === 0 ? '' : `.${digits.slice(point)}`;
  return new ExactNumber(`${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`);
}
