import { noMutation, type Mutant, everyNth } from './mutation.ts';

/** Bugs in what becomes of results. */
export const resultMutants: readonly Mutant[] = [
  {
    name: 'a result is reported as written but is not',
    violates: 'results',
    createMutation: () => {
      const isThird = everyNth(3);
      return {
        ...noMutation,
        results: (results) => ({
          publish: async (...args) => (isThird() ? 'written' : results.publish(...args)),
        }),
      };
    },
  },
  {
    name: 'a result that is owed is written nowhere',
    violates: 'results',
    createMutation: () => ({ ...noMutation, owe: () => () => Promise.resolve('written') }),
  },
  {
    name: 'a result that is refused is owed nowhere, and leaves its delivery unsettled',
    violates: 'no_duplicates',
    createMutation: () => ({ ...noMutation, owe: () => () => Promise.resolve('abandoned') }),
  },
  {
    name: 'a delivery is settled before its result is written',
    violates: 'results',
    createMutation: () => ({
      ...noMutation,
      results: (results) => ({
        publish: async (...args) => {
          void results.publish(...args).catch(() => undefined);
          return 'written';
        },
      }),
    }),
  },
  {
    name: 'a record that led to no delivery is settled before its result is written',
    violates: 'results',
    createMutation: () => ({
      ...noMutation,
      recordResults: (results) => ({
        publishRecord: async (...args) => {
          void results.publishRecord(...args).catch(() => undefined);
          return 'written';
        },
      }),
    }),
  },
  {
    name: 'a result is written twice',
    violates: 'results',
    createMutation: () => ({
      ...noMutation,
      results: (results) => ({
        publish: async (...args) => {
          await results.publish(...args);
          return results.publish(...args);
        },
      }),
    }),
  },
];
