// Faults of accessibility that axe-core finds in a page, in light and in dark.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Each fault as text: its rule, and the first places. */
export async function faults(page) {
  await page.evaluate(`${source}; true`);
  const all = new Set();
  for (const value of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
    for (const { id, help, nodes } of violations) {
      const places = nodes.slice(0, 3).map(({ target, any }) => `${target.join(' ')} ${any[0]?.message ?? ''}`);
      all.add(`${value}: ${id}: ${help}: ${nodes.length}: ${places.join(' | ')}`);
    }
  }
  return [...all];
}
