import { beforeAll, describe, expect, it } from 'vitest';
import { readText } from '../../support/files/sources.ts';
import { Baselines, runSituation } from './run-situation.ts';
import { pagePath, rowsOf, shownGroups } from './page.ts';
import { scenarios } from './scenarios/scenarios.ts';
import { type ComparedFigures, promptly, type Situation } from './situation.ts';
import { ownerIdsOf, ownersWithOneWebhook } from './scenarios/owners.ts';

const timeoutMs = 600_000;
const baselines = new Baselines();

describe('a run', () => {
  it('has the same figures each time', { timeout: timeoutMs }, async () => {
    const subscriptions = ownersWithOneWebhook(50, (number) => [number % 10 === 0 ? 'black holes' : 'healthy']);
    const situation: Situation = {
      subscriptions,
      writes: [{ kind: 'steady', ownerIds: ownerIdsOf(subscriptions), perSecond: 100, fromMs: 0, toMs: 20_000 }],
      responseOf: (request) => (request.webhookId.endsWith('0') ? undefined : promptly(request)),
      durationMs: 40_000,
    };
    expect(await runSituation(situation)).toEqual(await runSituation(situation));
  });
});

/** The rows of the page's tables, without the spaces that align them. */
const pageRows = readText(pagePath)
  .split('\n')
  .map((line) => line.replaceAll(/ {2,}/g, ' '));

describe.each(scenarios)('the service, while $name,', (scenario) => {
  const { without, trouble, bounds } = scenario;
  let figures: ComparedFigures;

  beforeAll(async () => {
    figures = { without: await baselines.of(without), trouble: await runSituation(trouble) };
  }, timeoutMs);

  it.each(bounds)('$title', ({ violation }) => {
    expect(violation(figures)).toBeUndefined();
  });

  if (!shownGroups.has(scenario)) return;

  it(`has the figures of ${pagePath}: run npm run docs:isolation after a change`, () => {
    for (const row of rowsOf(scenario, figures)) expect(pageRows).toContain(row);
  });
});
