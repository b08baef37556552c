export interface Section {
  /** Of its two marks. */
  readonly name: string;
  readonly text: string;
}

/** The page with the text between the two marks of its section. */
export function withSection(page: string, { name, text }: Section): string {
  const marks = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`] as const;
  const [begin, end] = [page.indexOf(marks[0]), page.indexOf(marks[1])];
  if (begin < 0 || end < begin) throw new Error(`The page has no ${marks.join(' … ')}.`);
  return `${page.slice(0, begin + marks[0].length)}\n\n${text}\n\n${page.slice(end)}`;
}
