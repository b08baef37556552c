import { expect, it } from 'vitest';
import { configurationRules } from '../../src/settings.ts';
import { defaultSettings } from '../support/service/default-settings.ts';

it('the rules for configurations are those of the settings', () => {
  const { egress, delivery } = defaultSettings();
  const allowedPorts = [{ first: 8000, last: 8001 }];
  const rules = configurationRules({
    egress: { ...egress, allowedPorts },
    delivery: { ...delivery, maxInFlightPerEndpoint: 3 },
  });
  expect([443, 7999, 8000, 8001, 8002].filter((port) => rules.isAllowedPort(port))).toEqual([8000, 8001]);
  expect(rules.mostInFlight).toBe(3);
});

it('allow everything while the settings are unknown', () => {
  const { isAllowedPort, mostInFlight } = configurationRules(undefined);
  expect([isAllowedPort(1), mostInFlight]).toEqual([true, Number.MAX_SAFE_INTEGER]);
});
