/** Of the first attempts that many start in time, over thirty days. */
export const freshObjective = 0.999;
/** The share of those that may start later. */
export const lateBudget = 0.001;

/** Of the deliveries that end, that many end with a 2xx. */
export const deliveredObjective = 0.99;

/** So many times too fast, a fiftieth of the month's budget is spent in an hour. */
export const fastBurn = 14.4;
/** And so, a twentieth in six hours. */
export const slowBurn = 6;
