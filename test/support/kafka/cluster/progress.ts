/** Told as each step begins, for a terminal to show; on a warm cache there is only `starting`. */
export type Progress = (step: Step) => void;

export type Step = 'downloading' | 'archiving' | 'pulling' | 'starting';

export const stepText: Readonly<Record<Step, string>> = {
  downloading: 'downloading Apache Kafka (54 MB, once)',
  archiving: 'preparing Apache Kafka for a quick start (some 10 s, once)',
  pulling: 'pulling the image of Apache Kafka (once)',
  starting: 'starting Apache Kafka',
};
