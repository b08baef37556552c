/**
 * The reasons for which a partition is not read on. Labels of `paused_partitions`, and words of the status page.
 *
 * | reason           | the partition waits until                                                            |
 * | ---------------- | ------------------------------------------------------------------------------------ |
 * | `joining`        | the group has assigned it again: a member has come or gone                           |
 * | `topic_missing`  | its topic exists again                                                               |
 * | `topic_denied`   | the brokers let us read its topic again                                              |
 * | `configurations` | the webhook configurations are complete: its records wait to be planned              |
 * | `window`         | its records start: its window of active deliveries is full                           |
 * | `waiting_room`   | its records start: the waiting room of a healthy endpoint is full                    |
 * | `deliveries`     | its records start: its unsettled deliveries use up its share of `INTAKE_MAX_RECORDS` |
 * | `records`        | fewer of its records are unsettled than its share of `INTAKE_MAX_RECORDS`            |
 * | `bytes`          | its unsettled records have fewer bytes than its share of `INTAKE_MAX_BYTES`          |
 * | `span`           | its commit is less than `INTAKE_MAX_SPAN` behind its newest record                   |
 * | `schema`         | the schema of its next record is known                                               |
 * | `undecodable`    | its next batch is fetched again, because it could not be decoded                     |
 * | `transaction`    | a transaction ends that holds back all its unread records                            |
 * | `turn`           | what was fetched is started, some in each turn of the event loop; never for long     |
 */
export const pauseReasons = [
  'joining',
  'topic_missing',
  'topic_denied',
  'configurations',
  'window',
  'waiting_room',
  'deliveries',
  'records',
  'bytes',
  'span',
  'schema',
  'undecodable',
  'transaction',
  'turn',
] as const;
export type PauseReason = (typeof pauseReasons)[number];
