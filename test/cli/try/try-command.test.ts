import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../../src/cli/command.ts';

describe('the arguments of try', () => {
  it.each([
    ['665f1f77bcf86cd799439011', { kind: 'id', id: '665f1f77bcf86cd799439011' }],
    ['webhook.json', { kind: 'file', path: 'webhook.json' }],
    ['webhook.YAML', { kind: 'file', path: 'webhook.YAML' }],
    ['webhook.yml', { kind: 'file', path: 'webhook.yml' }],
    ['./webhook', { kind: 'file', path: './webhook' }],
    ['/etc/webhook', { kind: 'file', path: '/etc/webhook' }],
    ['-', { kind: 'file', path: '-' }],
    ['json', { kind: 'id', id: 'json' }],
  ])('take %s', (operand, target) => {
    expect(parseCommand(['try', operand])).toEqual({
      kind: 'try',
      command: { target, eventType: undefined, conformance: false },
    });
  });

  it('take an event', () => {
    expect(parseCommand(['try', 'a', '--event', 'certificate_expired'])).toMatchObject({
      command: { eventType: 'certificate_expired' },
    });
  });

  it('take --conformance', () => {
    expect(parseCommand(['try', 'a', '--conformance'])).toMatchObject({ command: { conformance: true } });
  });

  it.each([
    [[], 'one ID or FILE has to be named'],
    [['a', 'b'], 'only one ID or FILE can be named'],
    [[''], 'the ID or FILE is empty'],
    [['a', '--event', 'expired'], '--event is "expired": expected certificate_completed or certificate_expired'],
    [['a', '--event', ''], '--event is empty'],
  ])('are refused: %j', (args, problem) => {
    expect(parseCommand(['try', ...args])).toEqual({ kind: 'invalid', name: 'try', problem });
  });
});
