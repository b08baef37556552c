import { html, type Html, type Content } from './html.ts';

export interface Column {
  readonly title: string;
  /** Aligns the column to the right. */
  readonly isNumber?: true;
}

interface TableContent {
  readonly caption: Content;
  readonly columns: readonly Column[];
  readonly groups: readonly RowGroup[];
  /** Keeps the columns on a small screen. In other tables, each row becomes a list there. */
  readonly isNarrow?: true;
}

interface RowGroup {
  readonly title?: Content;
  /** One cell per column. The first one is the header of its row. */
  readonly rows: readonly (readonly Content[])[];
}

/** Renders a table. Roles are explicit, because some browsers drop them when a style sheet changes `display`. */
export function table({ caption, columns, groups, isNarrow }: TableContent): Html {
  return html`<table role="table" class="${isNarrow === true ? 'narrow' : 'wide'}">
    <caption>
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(({ title, isNumber }) => html`<th role="columnheader" scope="col" ${numeric(isNumber)}>${title}</th>`)}
      </tr>
    </thead>
    ${groups.map((group) => rowGroup(group, columns))}
  </table>`;
}

function rowGroup({ title, rows }: RowGroup, columns: readonly Column[]): Html {
  const heading =
    title === undefined
      ? undefined
      : html`<tr role="row" class="group">
          <th role="rowheader" scope="rowgroup" colspan="${columns.length}">${title}</th>
        </tr>`;
  return html`<tbody role="rowgroup">
    ${heading}${rows.map((cells) => row(cells, columns))}
  </tbody>`;
}

function row([first, ...others]: readonly Content[], [head, ...columns]: readonly Column[]): Html {
  const cells = columns.map(
    ({ title, isNumber }, index) =>
      html`<td role="cell" data-label="${title}" ${numeric(isNumber)}><span>${others[index]}</span></td>`,
  );
  return html`<tr role="row">
    <th role="rowheader" scope="row" ${numeric(head?.isNumber)}>${first}</th>
    ${cells}
  </tr>`;
}

function numeric(isNumber: true | undefined): Html | undefined {
  return isNumber === true ? html`class="number"` : undefined;
}
