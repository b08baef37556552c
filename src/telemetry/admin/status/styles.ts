import { Html } from './html.ts';

/** The style sheet of the page. Text has a contrast of at least 4.5 to 1 in the light and the dark scheme. */
export const styles = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7;
  --sheet: #ffffff;
  --text: #1b2027;
  --soft: #5a636e;
  --line: #e1e5ea;
  --link: #0b57a4;
  --good: #17692f;
  --fair: #815000;
  --bad: #b3211c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101418;
    --sheet: #181d23;
    --text: #e3e7ec;
    --soft: #9aa4b0;
    --line: #2b323b;
    --link: #7db7f5;
    --good: #63c97f;
    --fair: #e0ad50;
    --bad: #ff8b82;
  }
}

* { box-sizing: border-box; }
html { text-size-adjust: 100%; }
body {
  margin: 0 auto;
  max-width: 76rem;
  padding: 2.5rem clamp(1rem, 4vw, 2.5rem) 3rem;
  background: var(--page);
  color: var(--text);
  font: 0.9375rem/1.5 system-ui, sans-serif;
  font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
}
h1 { margin: 0.25rem 0; font-size: 2rem; line-height: 1.25; }
h2 { margin: 0 0 0.5rem; font-size: 1.1875rem; }
p { margin: 0 0 0.5rem; max-width: 52rem; }
a { color: var(--link); white-space: nowrap; }
code { font: 0.8125rem/1.6 ui-monospace, monospace; }
small, .soft, .none { color: var(--soft); font-weight: 400; }
small { font-size: 0.8125rem; }
section { margin-top: 2.75rem; }
time { white-space: nowrap; color: var(--soft); font-size: 0.8125rem; }
p time { font-size: inherit; }
.name { margin: 0; font-weight: 600; }
.none { padding: 0.75rem 1rem; max-width: none; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; }

.state { white-space: nowrap; }
.state::before {
  content: "";
  display: inline-block;
  width: 0.625em;
  height: 0.625em;
  margin-right: 0.4em;
}
.good::before { background: var(--good); border-radius: 50%; }
.fair { color: var(--fair); font-weight: 600; }
.fair::before { background: currentColor; clip-path: polygon(50% 0, 100% 100%, 0 100%); }
.bad { color: var(--bad); font-weight: 600; }
.bad::before { background: currentColor; clip-path: polygon(50% 0, 100% 50%, 50% 100%, 0 50%); }

.facts {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr));
  gap: 1px;
  margin: 1.5rem 0 0;
  overflow: hidden;
  background: var(--line);
  border: 1px solid var(--line);
  border-radius: 8px;
}
.facts div { padding: 0.75rem 1rem; background: var(--sheet); }
.facts dt { color: var(--soft); font-size: 0.8125rem; }
.facts dd { margin: 0; font-size: 1.375rem; font-weight: 600; line-height: 1.4; }
.facts small { display: block; line-height: 1.4; }

.legend, nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; margin: 0 0 0.5rem; padding: 0; list-style: none; }

table {
  width: 100%;
  margin-top: 0.75rem;
  border-collapse: separate;
  border-spacing: 0;
  background: var(--sheet);
  border: 1px solid var(--line);
  border-radius: 8px;
}
caption { padding: 0.5rem 0 0.375rem; text-align: left; font-weight: 600; }
caption .soft { font-weight: 400; }
th, td { padding: 0.5rem 1rem; text-align: left; vertical-align: baseline; font-weight: 400; }
thead th { color: var(--soft); font-size: 0.8125rem; overflow-wrap: normal; }
tbody th, tbody td { border-top: 1px solid var(--line); }
.number { text-align: right; white-space: nowrap; }
.narrow { max-width: 46rem; }
th small { display: block; }
.wide th:first-child { width: 34%; }
.group th { padding-top: 1.25rem; font-weight: 600; }
td small { white-space: nowrap; }

details { margin-top: 0.75rem; }
summary { width: fit-content; padding: 0.25rem 0; color: var(--link); cursor: pointer; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
footer { margin-top: 3rem; }

@media (max-width: 52rem) {
  body { padding-top: 1.5rem; }
  .wide thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .wide, .wide caption, .wide tbody, .wide tr, .wide td { display: block; text-align: left; }
  .wide th, .wide th:first-child { display: block; width: auto; text-align: left; }
  .wide { border: 0; background: none; }
  .wide tr { margin-bottom: 0.625rem; padding: 0.625rem 1rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; }
  .wide .group { margin: 1.25rem 0 0.375rem; padding: 0; background: none; border: 0; }
  .wide tbody th, .wide tbody td { padding: 0.125rem 0; border: 0; }
  .wide tbody th { font-weight: 600; }
  .wide td { display: grid; grid-template-columns: 7rem 1fr; gap: 0.75rem; }
  .wide td::before { content: attr(data-label); color: var(--soft); font-size: 0.8125rem; }
  .narrow { font-size: 0.875rem; }
  .narrow th, .narrow td { padding: 0.5rem 0.375rem; }
  .narrow th:first-child { padding-left: 0.75rem; }
  .narrow thead th { font-size: 0.75rem; white-space: normal; overflow-wrap: anywhere; hyphens: auto; }
  .narrow time { display: block; white-space: normal; overflow-wrap: normal; }
  .narrow .state { display: block; font-size: 0.8125rem; white-space: normal; }
}
`;

/** The style element. The content security policy names the hash of its text, so the text must not be reformatted. */
export const styleSheet = new Html(`<style>${styles}</style>`);
