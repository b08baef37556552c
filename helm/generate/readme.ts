import type { Value, ValuesSection } from './values-file.ts';

const [begin, end] = ['<!-- Generated from values.yaml: begin -->', '<!-- Generated from values.yaml: end -->'];

/** Replaces the text between the two marks of the README by the tables of `values.yaml`. */
export function withValueTables(readme: string, sections: readonly ValuesSection[]): string {
  const [before, generated] = readme.split(begin);
  const after = generated?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`The README lacks ${begin} or ${end}.`);
  return [before, begin, '\n\n', ...sections.map(sectionText), end, after].join('');
}

function sectionText({ title, values }: ValuesSection): string {
  const rows = values.flatMap((value) => rowsOf(value, ''));
  return [`### ${title}`, '', '| Value | Default | |', '| --- | --- | --- |', ...rows, '\n'].join('\n');
}

function rowsOf({ name, description, members, ...value }: Value, parent: string): readonly string[] {
  const path = `${parent}${name}`;
  if (members.length > 0) {
    const own = description === '' ? [] : [row([`\`${path}\``, '', description])];
    return [...own, ...members.flatMap((member) => rowsOf(member, `${path}.`))];
  }
  return [row([`\`${path}\``, shown(value.default), description])];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
}

/** Refers to `values.yaml` for long defaults. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > 40 ? 'see `values.yaml`' : `\`${text}\``;
}
