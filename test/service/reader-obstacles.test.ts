import { describe, expect, it } from 'vitest';
import { Assignment } from '../../src/kafka/consumer/assignment.ts';
import { ReaderObstacles } from '../../src/service/readers.ts';
import { brokerError, networkError } from '../kafka/kafkajs/scripted.ts';

const reading = { assignment: new Assignment({ completed: [0], expired: [0] }), topics: ['completed', 'expired'] };
const create = (): ReaderObstacles =>
  new ReaderObstacles({ groupId: 'group', requiredTopics: ['completed', 'expired'] });

describe('the obstacles of a reader', () => {
  it('are none while it reads, and before its first search', () => {
    expect(create().describe(reading)).toEqual([]);
    expect(create().describe({ assignment: undefined, topics: undefined })).toEqual([]);
  });

  it('name the group and what to change after a refusal, until it joins again', () => {
    const obstacles = create();
    obstacles.crashed({ groupId: 'group', error: brokerError('INVALID_SESSION_TIMEOUT'), restarting: false });
    expect(obstacles.describe(reading)).toEqual([expect.stringMatching(/^the group group: .*KAFKA_SESSION_TIMEOUT/v)]);
    obstacles.joined();
    expect(obstacles.describe(reading)).toEqual([]);
  });

  it('name the failure if no remedy is known', () => {
    const obstacles = create();
    obstacles.crashed({ groupId: 'group', error: brokerError('KAFKA_STORAGE_ERROR'), restarting: false });
    expect(obstacles.describe(reading)).toEqual([expect.stringContaining('KafkaJSProtocolError')]);
  });

  it('do not include an outage, or a crash that the client repairs', () => {
    const obstacles = create();
    obstacles.crashed({ groupId: 'group', error: networkError(), restarting: false });
    obstacles.crashed({ groupId: 'group', error: brokerError('LEADER_NOT_AVAILABLE'), restarting: true });
    expect(obstacles.describe(reading)).toEqual([]);
  });

  it('name a topic that may not be read, and one that was not found', () => {
    const assignment = new Assignment({ completed: [0] });
    assignment.exclude({ gone: [], denied: ['completed'] });
    expect(create().describe({ assignment, topics: ['completed'] })).toEqual([
      expect.stringMatching(/^reading completed: .*allow Read/v),
      expect.stringMatching(/^reading expired: .*Describe/v),
    ]);
  });
});
