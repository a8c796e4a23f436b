// Prometheus, on a copy of the data that a test has kept.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ask } from './api';

/** Starts a server that scrapes nothing. */
export async function startPrometheus(binary: string, data: string) {
  const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
  cpSync(data, folder, { recursive: true });
  const server = spawn(
    binary,
    ['--config.file=/dev/null', `--storage.tsdb.path=${folder}`, '--storage.tsdb.retention.time=100y', '--web.listen-address=127.0.0.1:0'],
    { stdio: ['ignore', 'ignore', 'pipe'] }
  );
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  };
  const url = await addressIn(server.stderr);
  if (!url) {
    await stop();
    throw new Error(`${binary} does not start on ${data}`);
  }
  return { url, range: () => rangeOf(url), [Symbol.asyncDispose]: stop };
}

/** Returns the address that the log tells of once Prometheus answers; nothing when it ends before. */
async function addressIn(log: NodeJS.ReadableStream): Promise<string | undefined> {
  let address: string | undefined;
  const lines = createInterface({ input: log });
  return new Promise((resolve) => {
    lines.on('line', (line) => {
      address ??= /msg="Listening on".* address=(\S+)/.exec(line)?.[1];
      if (line.includes('Server is ready to receive web requests')) {
        resolve(`http://${address}`);
      }
    });
    lines.on('close', () => resolve(undefined));
  });
}

/** Returns from when to when both components answer, in milliseconds since 1970: before and after, the dashboard has nothing to show. */
async function rangeOf(url: string): Promise<{ from: number; to: number }> {
  const { minTime, maxTime } = (await ask(url, 'status/tsdb', { limit: '1' })).headStats;
  if (minTime > maxTime) {
    throw new Error('there is no data');
  }
  const all = `${Math.ceil((maxTime - minTime) / 1000)}s`;
  const [from, to] = await Promise.all(
    ['min_over_time', 'max_over_time'].map(async (first) => {
      const query = `${first}(timestamp(sum(capz_clusters) and min(up) == 1)[${all}:1s])`;
      const { result } = await ask(url, 'query', { query, time: String(maxTime / 1000) });
      return Number(result[0]?.value[1]) * 1000;
    })
  );
  if (!(from < to)) {
    throw new Error('there are no metrics of both components');
  }
  return { from, to };
}
