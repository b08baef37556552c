import { readFileSync, writeFileSync } from 'node:fs';

/** Figures of our code by their name. */
type Figures = Readonly<Record<string, number>>;

/** A file with the expected figures, and the largest accepted ratio to them. */
interface Baseline {
  readonly file: URL;
  readonly allowance: number;
}

/** CPU of the service relative to undici alone. A short run on a busy machine varies by up to a quarter. */
export const ratioBaseline: Baseline = { file: new URL('baseline.json', import.meta.url), allowance: 1.25 };
/** Counts that two runs have in common. */
export const countBaseline: Baseline = { file: new URL('counts/baseline.json', import.meta.url), allowance: 1.05 };

/** Writes figures with four digits. Keeps those of the file that are not among them. */
export function recordBaseline({ file }: Baseline, figures: Figures): void {
  const rounded = Object.entries(figures).map(([name, figure]) => [name, Number(figure.toPrecision(4))]);
  const all = { ...read(file), ...Object.fromEntries(rounded) };
  writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
}

/** Returns a sentence for each figure that is too high or can't be checked. */
export function complaintsAbout({ file, allowance }: Baseline, figures: Figures): readonly string[] {
  const baseline = read(file);
  if (Object.keys(figures).length === 0) return ['Nothing was checked: no scenario has a figure with a baseline.'];
  return Object.entries(figures).flatMap(([name, figure]) => {
    const expected = baseline[name];
    if (expected === undefined)
      return `${name} has no baseline. Write it with --record, and otherwise the same options.`;
    const most = (expected * allowance).toPrecision(4);
    if (figure <= expected * allowance) return [];
    return `${name}: ${figure.toPrecision(4)}. The baseline is ${expected}, and at most ${most} is allowed.`;
  });
}

function read(file: URL): Figures {
  return JSON.parse(readFileSync(file, 'utf8')) as Figures;
}
