import { describe, expect, it } from 'vitest';
import { certificateIn } from '../checks/requests.ts';
import { certificateEvents } from './certificates.ts';
import { owners } from './owners.ts';

describe('the certificates of the demo', () => {
  const events = certificateEvents();

  it('have unique ids, which are also in their bodies', () => {
    expect(events).toHaveLength(312);
    expect(new Set(events.map(({ id }) => id)).size).toBe(312);
    expect(events.map(certificateIn)).toEqual(events.map(({ id }) => id));
  });

  it('are JSON in compact and in other forms', () => {
    const notCompact = events.filter(({ body }) => {
      const text = body.toString('utf8');
      return JSON.stringify(JSON.parse(text)) !== text;
    });
    expect(notCompact).toHaveLength(208);
  });

  it('are spread evenly over the run for each owner', () => {
    const halves = [events.slice(0, 156), events.slice(156)];
    for (const owner of Object.values(owners)) {
      const [first = 0, second = 0] = halves.map((half) => half.filter((event) => event.owner === owner).length);
      expect(Math.abs(first - second)).toBeLessThanOrEqual(2);
    }
  });
});
