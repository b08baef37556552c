import { describe, expect, it } from 'vitest';
import { unavailable } from '../../src/settings/unavailable.ts';
import { readPage } from './support/page.ts';

describe('the page for the platform team', () => {
  it('warns of compressions as long as they can not be handled', () => {
    const areMissing = unavailable.some(({ variable }) => variable === 'HANDOFF_COMPRESSION');
    expect(readPage('docs/producers.md').text.includes('**Compression.** `gzip` or none.')).toBe(areMissing);
  });
});
