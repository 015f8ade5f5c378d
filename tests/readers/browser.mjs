// Opens a page, a file or an address, in Chromium. CHROMIUM names another binary than the one of the package, FIREFOX one of Firefox. Notes what
// the page asks for, and what it complains about.

import { pathToFileURL } from 'node:url';
import chromium from '@sparticuz/chromium';
import puppeteer from 'puppeteer-core';

const DRAWS_WITHOUT_A_GPU = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

async function launch(more) {
  const { CHROMIUM: own, FIREFOX: firefox } = process.env;
  if (firefox) return puppeteer.launch({ browser: 'firefox', executablePath: firefox, headless: false });
  const args = own ? ['--no-sandbox'] : chromium.args.filter((argument) => !/gl|angle|swiftshader/.test(argument));
  const executablePath = own ?? (await chromium.executablePath());
  return puppeteer.launch({ args: [...args, ...DRAWS_WITHOUT_A_GPU, ...more], executablePath, headless: own ? true : 'shell' });
}

/** `args` are switches of Chromium; `prepare` gets the page before it loads. */
export async function open(file, viewport, { args = [], prepare } = {}) {
  const browser = await launch(args);
  const page = await browser.newPage();
  await page.setViewport(viewport);
  const url = /^http:/.test(file) ? file : pathToFileURL(file).href;
  const requests = [];
  const problems = [];
  page.on('request', (request) => {
    const asked = request.url();
    if (asked !== url && !/^(data|blob):/.test(asked)) requests.push(asked);
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (!message.text().includes('GPU stall due to ReadPixels')) problems.push(message.text());
  });
  await prepare?.(page);
  await page.goto(url);
  return { browser, page, requests, problems };
}
