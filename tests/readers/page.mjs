// What a browser makes of a page. Argument: the page, and a folder for pictures of it if they are wanted. Prints the third column of the
// report's table after one and after two clicks on its head, what the browser asked for besides the page, what it complained of, and
// what its pictures are, and what axe-core finds.

import { faults } from './axe.mjs';
import { open } from './browser.mjs';

const [, , file, folder] = process.argv;
const COLUMN = 3;
const { browser, page, requests, problems } = await open(file, { width: 1280, height: 1600 });
if (folder) {
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.screenshot({ path: `${folder}/${scheme}.png`, fullPage: true });
  }
  await page.pdf({ path: `${folder}/print.pdf`, format: 'A4' });
}
async function sorted() {
  await page.click(`main > table th:nth-child(${COLUMN}) button`);
  return page.$$eval('main > table', ([table], column) => [...table.tBodies[0].rows].map((row) => row.cells[column - 1].dataset.v), COLUMN);
}
const ascending = await sorted();
const descending = await sorted();
const inaccessible = await faults(page);
const pictures = await page.$$eval('img', (all) => all.map((image) => [image.naturalWidth, image.naturalHeight]));
await browser.close();
process.stdout.write(JSON.stringify({ ascending, descending, requests, problems, pictures, inaccessible }));
