// The page: it asks for the data of all panels, and draws them on the grid of a dashboard.
import { createRoot } from 'react-dom/client';
import { type TimeRange, ThemeContext, createTheme, dateTime } from '@grafana/data';
import { GlobalStyles, PortalContainer } from '@grafana/ui';
import type { Panel } from './dashboard';
import { type Drawn, PanelView } from './panels';
import { type Source, query } from './prometheus';

export interface Order {
  panels: Panel[];
  source: Source;
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  width: number;
}

// Grafana's grid, in pixels.
const columns = 24;
const rowHeight = 30;
const gap = 8;

const zone = 'utc';

/** The place of a panel on a page that begins with the panel at top. */
function placeOf({ gridPos: { x, y, w, h } }: Panel, top: number, pageWidth: number) {
  const column = (pageWidth - gap * (columns + 1)) / columns;
  return {
    left: gap + x * (column + gap),
    top: gap + (y - top) * (rowHeight + gap),
    width: w * column + (w - 1) * gap,
    height: h * rowHeight + (h - 1) * gap,
  };
}

async function ask(panel: Panel, source: Source, range: TimeRange, width: number): Promise<Drawn> {
  if (panel.type === 'row') {
    return { panel, frames: [] };
  }
  const answers = await Promise.all(panel.targets.map((target) => query(source, target, range, Math.floor(width))));
  return { panel, frames: answers.flat() };
}

/** Draws panels, and returns the titles of those without data. */
async function draw({ panels, source, from, to, width }: Order): Promise<string[]> {
  const range: TimeRange = { from: dateTime(from), to: dateTime(to), raw: { from: dateTime(from), to: dateTime(to) } };
  const top = Math.min(...panels.map((panel) => panel.gridPos.y));
  const places = panels.map((panel) => placeOf(panel, top, width));
  const drawn = await Promise.all(panels.map((panel, i) => ask(panel, source, range, places[i].width)));
  await document.fonts.load('12px Inter');
  const height = Math.max(...places.map((place) => place.top + place.height)) + gap;
  const root = document.createElement('main');
  document.body.replaceChildren(root);
  createRoot(root).render(
    <ThemeContext.Provider value={createTheme({ colors: { mode: 'light' } })}>
      <GlobalStyles />
      <div style={{ position: 'relative', width, height }}>
        {drawn.map((one, i) => (
          <div key={one.panel.id} style={{ position: 'absolute', ...places[i] }}>
            <PanelView {...one} width={places[i].width} height={places[i].height} time={{ range, zone }} />
          </div>
        ))}
      </div>
      <PortalContainer />
    </ThemeContext.Provider>
  );
  return drawn.filter(({ panel, frames }) => panel.type !== 'row' && frames.length === 0).map(({ panel }) => panel.title);
}

Object.assign(window, { draw });
