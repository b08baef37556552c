const marks = ['<!-- isolation: begin -->', '<!-- isolation: end -->'] as const;

/** The page with the text between its two marks. */
export function withSection(page: string, text: string): string {
  const [begin, end] = [page.indexOf(marks[0]), page.indexOf(marks[1])];
  if (begin < 0 || end < begin) throw new Error(`The page has no ${marks.join(' … ')}.`);
  return `${page.slice(0, begin + marks[0].length)}\n\n${text}\n\n${page.slice(end)}`;
}
