// Serves the page, and the icons that Grafana's components ask for.
import { build } from 'esbuild';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';

// Grafana brings the font Inter, and measures text by it. Where it is not installed, another one has its name.
const fonts = `
  @font-face { font-family: Inter; src: local("Inter Regular"), local("Inter"), local("Liberation Sans"), local("Arial"), local("DejaVu Sans"); }
  @font-face { font-family: Inter; font-weight: bold; src: local("Inter Bold"), local("Liberation Sans Bold"), local("Arial Bold"), local("DejaVu Sans Bold"); }
`;
const html = `<!doctype html>
<meta charset="utf-8">
<style>body { margin: 0 }</style>
<link rel="stylesheet" href="page.css">
<link rel="icon" href="data:,">
<script defer src="page.js"></script>`;
/** Where the components look for icons, and where they are. */
const asked = '/public/build/';
const icons = join('node_modules', '@grafana', 'ui', 'dist', 'public');

/** Starts a server of the page on the loopback interface. */
export async function servePage() {
  const { js, css } = await bundle();
  const files: Record<string, [string, string]> = { '/': ['text/html', html], '/page.js': ['text/javascript', js], '/page.css': ['text/css', fonts + css] };
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url!, 'http://page').pathname);
    const [type, content] = files[path] ?? ['image/svg+xml', await iconAt(path)];
    response.writeHead(content === undefined ? 404 : 200, { 'Content-Type': type }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, [Symbol.asyncDispose]: stop };
}

async function iconAt(path: string) {
  return path.startsWith(asked) ? readFile(join(icons, path.slice(asked.length))).catch(() => undefined) : undefined;
}

async function bundle() {
  const { outputFiles } = await build({
    entryPoints: ['src/page.tsx'],
    outdir: 'build',
    write: false,
    bundle: true,
    minify: true,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    // Of the editor, which is not on the page.
    loader: { '.ttf': 'empty' },
    logLevel: 'error',
  });
  const text = (end: string) => outputFiles.find((file) => file.path.endsWith(end))!.text;
  return { js: text('.js'), css: text('.css') };
}
