import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findProgram } from '../programs/programs.ts';

export interface ViewOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly javaScriptEnabled?: boolean;
}

/** An open page. Disposing it closes the page. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Messages of the browser console, errors, and all requests other than for the page itself. */
  readonly problems: readonly string[];
}

/** Starts Chromium without a screen. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findProgram('chromium');
  if (executablePath === undefined) throw new Error('There is no Chromium on the path, nor where CHROMIUM says.');
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', ...quiet] });
}

export async function openPage(browser: Browser, url: string, options: ViewOptions = {}): Promise<OpenPage> {
  const { colorScheme = 'light', width = 1280, javaScriptEnabled = true } = options;
  const context = await browser.newContext({ colorScheme, javaScriptEnabled, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (request.url() !== url) problems.push(request.url());
  });
  await page.goto(url);
  return { page, problems, [Symbol.asyncDispose]: async () => context.close() };
}

/** Returns by how many pixels the page is wider than the window. */
export async function overflowPx(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Returns the problems that axe finds: contrast, headings, names, tables. Contrast that it cannot measure counts too. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations, incomplete } = await page.evaluate<axe.AxeResults>('axe.run()');
  const unclear = incomplete.filter(({ id }) => id === 'color-contrast');
  return [...violations, ...unclear].flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
