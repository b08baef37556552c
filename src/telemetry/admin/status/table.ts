import { html, type Html, type Part } from './html.ts';

export interface Column {
  readonly title: string;
  /** Aligned so that digits stand below each other. */
  readonly isNumber?: true;
}

interface Table {
  readonly caption: Part;
  readonly columns: readonly Column[];
  readonly groups: readonly RowGroup[];
  /** Few and narrow columns stay columns on a phone; of other tables each row becomes a list there. */
  readonly isNarrow?: true;
}

interface RowGroup {
  readonly title?: Part;
  /** One cell a column; the first says what the row is about. */
  readonly rows: readonly (readonly Part[])[];
}

/** Roles are written out, because style sheets that change `display` take them away in some browsers. */
export function table({ caption, columns, groups, isNarrow }: Table): Html {
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

function row([first, ...rest]: readonly Part[], [head, ...columns]: readonly Column[]): Html {
  const cells = columns.map(
    ({ title, isNumber }, index) =>
      html`<td role="cell" data-label="${title}" ${numeric(isNumber)}><span>${rest[index]}</span></td>`,
  );
  return html`<tr role="row">
    <th role="rowheader" scope="row" ${numeric(head?.isNumber)}>${first}</th>
    ${cells}
  </tr>`;
}

function numeric(isNumber: true | undefined): Html | undefined {
  return isNumber === true ? html`class="number"` : undefined;
}
