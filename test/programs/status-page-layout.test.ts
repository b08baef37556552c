import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pauseReasons } from '../../src/backpressure/pause-reason.ts';
import { statusPage } from '../../src/telemetry/admin/status/page.ts';
import { accessibilityProblems, openPage, overflowPx, startBrowser } from '../support/pages/browser.ts';
import { needs } from '../support/programs/needs.ts';
import { aPartitionStatus, aReadingStatus, aStatus, anEndpointStatus } from '../telemetry/support/status.ts';

describe('the status page with every reason of a pause and every health', needs('chromium'), () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => browser.close());

  it.each([
    { colorScheme: 'light' as const, width: 1280 },
    { colorScheme: 'dark' as const, width: 360 },
  ])('is accessible and as wide as the window: $colorScheme, $width px wide', async (options) => {
    await using view = await openPage(browser, troubledPage(), options);
    for (const summary of await view.page.locator('summary').all()) await summary.click();
    expect(await overflowPx(view.page)).toBeLessThanOrEqual(0);
    expect(await accessibilityProblems(view.page)).toEqual([]);
  });
});

/** Returns the page as a URL that needs no server. */
function troubledPage(): string {
  const partitions = pauseReasons.map((pausedBy, partition) => aPartitionStatus({ partition, pausedBy, lag: 12_000 }));
  const healths = ['healthy', 'failing', 'late'] as const;
  const first = healths.map((health) => anEndpointStatus({ health }));
  const endpoints = { ...aStatus().endpoints, failing: { total: first.length, first } };
  const page = statusPage(aStatus({ endpoints, reading: aReadingStatus({ partitions }) }), { isRefreshed: false });
  return `data:text/html;base64,${Buffer.from(page).toString('base64')}`;
}
