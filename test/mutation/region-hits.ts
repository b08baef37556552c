/** The global list in which an instrumented file marks its regions that have run. Imported by every process of tests. */
export const hitsName = '__regionHits';
