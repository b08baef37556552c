import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** Returns the plot as SVG. */
export async function draw(plot: TopLevelSpec): Promise<string> {
  const view = new View(parse(compile(plot).spec), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}
