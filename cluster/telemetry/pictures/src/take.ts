// Takes the pictures: it starts Prometheus on data that `make telemetry` has kept, and has a browser draw the dashboard from it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import puppeteer, { type Page } from 'puppeteer-core';
import UPNG from 'upng-js';
import { type Dashboard, between } from './dashboard';
import type { Order } from './page';
import { startPrometheus } from './server';
import { servePage } from './site';

/** How often Prometheus scrapes in cluster/telemetry, in milliseconds. */
const scrapeInterval = 2000;
const width = 1400;

/** The pictures: from which row on, and up to which. */
const pictures = [
  { name: 'clusters.png', first: undefined, end: 'Azure' },
  { name: 'azure.png', first: 'Azure', end: 'Processes' },
  { name: 'processes.png', first: 'Processes', end: undefined },
];

function options() {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { data: text, prometheus: text, browser: text, dashboard: text, out: text } });
  const { data, prometheus, browser, dashboard, out } = values;
  if (!data || !prometheus || !browser || !dashboard || !out) {
    throw new Error('say --data, --prometheus, --browser, --dashboard and --out');
  }
  return { data, prometheus, browser, dashboard, out };
}

/** Has a page draw, waits until all is there, and saves the picture. */
async function take(page: Page, url: string, order: Order, file: string) {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('response', (response) => {
    // Fonts are those of the machine.
    if (!response.ok() && response.request().resourceType() !== 'font') {
      errors.push(`${response.url()}: ${response.status()}`);
    }
  });
  await page.goto(url);
  const empty = await page.evaluate((order) => (window as unknown as { draw(order: Order): Promise<string[]> }).draw(order), order);
  await page.waitForFunction((icons) => document.querySelectorAll('svg[data-testid^="icon-"]').length === icons, {}, order.panels.length);
  if (errors.length > 0) {
    throw new Error(errors.join('\n'));
  }
  const height = await page.evaluate(() => document.querySelector('main')!.scrollHeight);
  await page.setViewport({ width: order.width, height });
  const picture = smaller(await page.screenshot());
  writeFileSync(file, picture);
  console.log(`${file}: ${order.width} x ${height}, ${picture.length} bytes${empty.length > 0 ? `, without data: ${empty.join(', ')}` : ''}`);
}

/** Returns a picture of 256 colors, which is less than half as large. */
function smaller(png: Uint8Array): Uint8Array {
  const picture = UPNG.decode(png.slice().buffer as ArrayBuffer);
  return new Uint8Array(UPNG.encode(UPNG.toRGBA8(picture), picture.width, picture.height, 256));
}

async function main() {
  const { data, prometheus, browser: executablePath, dashboard: file, out } = options();
  const dashboard: Dashboard = JSON.parse(readFileSync(file, 'utf8'));
  mkdirSync(out, { recursive: true });
  await using server = await startPrometheus(prometheus, data);
  await using site = await servePage();
  const { from, to } = await server.range();
  console.log(`from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`);
  // Root has no sandbox; the page is this folder's own.
  const browser = await puppeteer.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  try {
    for (const { name, first, end } of pictures) {
      const page = await browser.newPage();
      await page.setViewport({ width, height: 1000 });
      const panels = between(dashboard, first, end);
      await take(page, site.url, { panels, source: { url: server.url, scrapeInterval }, from, to, width }, join(out, name));
      await page.close();
    }
  } finally {
    await browser.close();
  }
}

await main();
