import { expect, it } from 'vitest';
import { findJava, majorOf } from './java.ts';

it.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['openjdk version "25" 2025-09-16', 25],
  ['java version "1.8.0_402"', 8],
  ['Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "21.0.2" 2024-01-16', 21],
  ['command not understood', 0],
])('finds the major version in %j', (text, major) => {
  expect(majorOf(text)).toBe(major);
});

it('says what to install when there is no Java', async () => {
  const found = findJava({ JAVA_HOME: '/nowhere' });
  await expect(found).rejects.toThrow('Apache Kafka needs Java 17 or later, and this machine has none.');
  await expect(found).rejects.toThrow('apt-get install openjdk-17-jre-headless');
});
