/** Called at the beginning of each step, to show it. With a filled cache, `starting` is the only step. */
export type Progress = (step: Step) => void;

type Step = 'downloading' | 'archiving' | 'pulling' | 'starting';

export const stepText: Readonly<Record<Step, string>> = {
  downloading: 'downloading Apache Kafka (54 MB, once)',
  archiving: 'preparing Apache Kafka for a quick start (some 10 s, once)',
  pulling: 'pulling the image of Apache Kafka (once)',
  starting: 'starting Apache Kafka',
};
