/** The share of first attempts that must start in time, over thirty days. */
export const freshObjective = 0.999;
/** The share of first attempts that may start late. */
export const lateBudget = 0.001;

/** The share of finished deliveries that must end with a 2xx. */
export const deliveredObjective = 0.99;

/** A burn rate that spends a fiftieth of the month's budget in one hour. */
export const fastBurn = 14.4;
/** A burn rate that spends a twentieth of the month's budget in six hours. */
export const slowBurn = 6;
/** A burn rate that spends a tenth of the month's budget in one day. */
export const dailyBurn = 3;
/** A burn rate that spends a tenth of the month's budget in three days, and all of it in a month. */
export const steadyBurn = 1;
