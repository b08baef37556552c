import { html, legible, type Html } from './html.ts';
import type { SettingsGroup } from './status.ts';
import { table } from './table.ts';
import { pluralized } from './wording.ts';

export function settingsSection(groups: readonly SettingsGroup[]): Html {
  const all = groups.flatMap(({ settings }) => settings);
  const setCount = all.filter(({ origin }) => origin === 'set').length;
  return html`<section aria-labelledby="settings">
    <h2 id="settings">Settings</h2>
    <details>
      <summary>${pluralized(all.length, 'setting')}, ${setCount} of them set, secrets hidden</summary>
      ${table({
        caption: 'As they take effect',
        columns: [{ title: 'Variable' }, { title: 'Value' }, { title: 'Origin' }],
        groups: groups.map(({ title, settings }) => ({
          title,
          rows: settings.map(({ name, value, origin }) => [
            html`<code>${legible(name)}</code>`,
            html`<code>${value}</code>`,
            origin === 'set' ? html`<strong>set</strong>` : html`<span class="soft">${origin}</span>`,
          ]),
        })),
      })}
    </details>
  </section>`;
}
