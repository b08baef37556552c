import { groupIn, type Figures } from '../figures.ts';
import type { Bound } from '../situation.ts';

interface QueueingBound {
  readonly times?: number;
  readonly plusMs?: number;
}

/** Promises that the trouble costs a group nothing but a bounded time of queueing. */
export function undisturbed(group: string, queueing: QueueingBound): readonly Bound[] {
  return [queueingAtMost(group, queueing), sameThroughput(group), noneThroughTier(group)];
}

/** Bounds the p99 of queueing by what it is without the trouble. */
export function queueingAtMost(group: string, { times = 1, plusMs = 0 }: QueueingBound): Bound {
  const added = plusMs === 0 ? '' : ` plus ${plusMs} ms`;
  return {
    title: `lets ${group} queue for at most ${times} times as long${added} at p99`,
    violation: ({ without, trouble }) => {
      const [usual, now] = [groupIn(without, group).queueing.p99, groupIn(trouble, group).queueing.p99];
      return now <= usual * times + plusMs ? undefined : `p99 is ${now} ms, and ${usual} ms without the trouble`;
    },
  };
}

/** Bounds the p99 of the time from append to 2xx by what it is without the trouble. */
export function latencyAtMost(group: string, times: number): Bound {
  return {
    title: `delivers to ${group} in at most ${times} times as long at p99`,
    violation: ({ without, trouble }) => {
      const [usual, now] = [groupIn(without, group).latencyP99, groupIn(trouble, group).latencyP99];
      return now <= usual * times ? undefined : `p99 is ${now} ms, and ${usual} ms without the trouble`;
    },
  };
}

export function longestQueueingBelow(group: string, ms: number): Bound {
  return {
    title: `lets ${group} queue for less than ${ms} ms`,
    violation: ({ trouble }) => {
      const { max } = groupIn(trouble, group).queueing;
      return max < ms ? undefined : `the longest is ${max} ms`;
    },
  };
}

export function allDelivered(group: string): Bound {
  return {
    title: `delivers everything to ${group}`,
    violation: ({ trouble }) => {
      const { delivered, expected } = groupIn(trouble, group);
      return delivered === expected ? undefined : `${delivered} of ${expected}`;
    },
  };
}

/** The last deliveries of a run may end a few ms later. */
const leastPart = 0.999;

export function sameThroughput(group: string): Bound {
  return {
    title: `delivers as much to ${group} in the same time`,
    violation: ({ without, trouble }) => {
      const [usual, now] = [groupIn(without, group), groupIn(trouble, group)];
      const isSame = now.delivered === usual.expected && now.perSecond >= usual.perSecond * leastPart;
      return isSame
        ? undefined
        : `${now.delivered} of ${now.expected}, ${now.perSecond} instead of ${usual.perSecond} a second`;
    },
  };
}

export function noneThroughTier(group: string): Bound {
  return {
    title: `writes no delivery to ${group} to a tier`,
    violation: ({ trouble }) => {
      const { throughTier } = groupIn(trouble, group);
      return throughTier === 0 ? undefined : `${throughTier} go through a tier`;
    },
  };
}

export function figureAtMost(title: string, figure: (figures: Figures) => number, most: number): Bound {
  return {
    title,
    violation: ({ trouble }) => (figure(trouble) <= most ? undefined : `it is ${figure(trouble)}`),
  };
}

export function writesAtMost(group: string, most: number): Bound {
  const title = `writes a delivery to ${group} to tiers ${most} times at most`;
  return figureAtMost(title, (figures) => groupIn(figures, group).maxWrites, most);
}

export function deliversBetween(group: string, least: number, most = Number.POSITIVE_INFINITY): Bound {
  return {
    title: `delivers at least ${least} to ${group}${most === Number.POSITIVE_INFINITY ? '' : `, and at most ${most}`}`,
    violation: ({ trouble }) => {
      const { delivered } = groupIn(trouble, group);
      return delivered >= least && delivered <= most ? undefined : `it is ${delivered}`;
    },
  };
}
