import type { Config } from 'vega-lite';

export const colours = { service: '#4c78a8', limit: '#c2963f', met: '#4c9a6a', missed: '#d1603d' } as const;

const grey = '#808080';

/** Readable on dark pages and on light ones. */
export const style: Config = {
  background: 'transparent',
  view: { stroke: null },
  title: { color: grey, fontSize: 12, fontWeight: 'normal', anchor: 'start', frame: 'group' },
  axis: {
    labelColor: grey,
    titleColor: grey,
    domainColor: grey,
    tickColor: grey,
    gridColor: `${grey}40`,
    labelLimit: 0,
  },
  bar: { opacity: 0.6 },
  rule: { color: grey, size: 2 },
  errorbar: { rule: { color: grey, size: 2 }, ticks: { color: grey, size: 10, thickness: 2 } },
  text: { color: grey },
};

export const widthPx = 480;
export const stepPx = 22;
