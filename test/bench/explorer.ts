// Measures when the explorer can be used, in Chromium with a slow network: on the first visit and on the second one.
import { chromium } from 'playwright-core';
import { startServer } from '../../src/transports/server.ts';
import { startPair } from '../helpers/facade.ts';

const RUNS = 5;
/** 10 Mbit/s, and milliseconds. */
const NETWORK = { offline: false, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000, latency: 20 };

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
await using pair = await startPair();
await using server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
// The server makes the page and the anonymous schema for its first request.
await fetch(server.url, { headers: { accept: 'text/html' } });

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const times: [number[], number[]] = [[], []];
const bytes: [number[], number[]] = [[], []];
for (let run = 0; run < RUNS; run += 1) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', NETWORK);
  let received = 0;
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    received += encodedDataLength;
  });
  for (const visit of [0, 1] as const) {
    received = 0;
    const startedAt = performance.now();
    await page.goto(server.url, { waitUntil: 'commit' });
    await page.locator('section[aria-label="Operation Editor"] .view-line', { hasText: 'Example' }).waitFor();
    await page.getByRole('button', { name: 'Execute query' }).waitFor();
    times[visit].push(performance.now() - startedAt);
    bytes[visit].push(received);
    // The schema comes last.
    await page.getByText('What you can follow').waitFor();
  }
  await context.close();
}
await browser.close();
console.log('| visit | seconds, median | fastest | KiB until then |\n|---|--:|--:|--:|');
for (const [visit, name] of ['first', 'second'].entries()) {
  const [all = [], sizes = []] = [times[visit], bytes[visit]];
  const seconds = [median(all), Math.min(...all)].map((ms) => (ms / 1000).toFixed(2));
  console.log(`| ${name} | ${seconds.join(' | ')} | ${Math.round(median(sizes) / 1024)} |`);
}
process.exit(0);
