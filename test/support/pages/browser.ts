import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findProgram } from '../programs/programs.ts';

export interface Look {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly javaScriptEnabled?: boolean;
}

/** A page as a reader has it in front of him. Disposing it closes it. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** What the browser complained of, and every request but the first one. */
  readonly trouble: readonly string[];
}

/** Starts Chromium without a screen. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findProgram('chromium');
  if (executablePath === undefined) throw new Error('There is no Chromium on the path, nor where CHROMIUM says.');
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', ...quiet] });
}

export async function visit(browser: Browser, url: string, look: Look = {}): Promise<Visit> {
  const { colorScheme = 'light', width = 1280, javaScriptEnabled = true } = look;
  const context = await browser.newContext({ colorScheme, javaScriptEnabled, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on('console', (message) => trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('request', (request) => {
    if (request.url() !== url) trouble.push(request.url());
  });
  await page.goto(url);
  return { page, trouble, [Symbol.asyncDispose]: async () => context.close() };
}

/** How much wider than the window the page is, in pixels. */
export async function overhang(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** What axe finds against the page: contrast, headings, names, tables. Contrast that it can't make out is none. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations, incomplete } = await page.evaluate<axe.AxeResults>('axe.run()');
  const unclear = incomplete.filter(({ id }) => id === 'color-contrast');
  return [...violations, ...unclear].flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
