// Draws groups of horizontal bars as an SVG file.

/** A group of bars under one title. */
export interface BarGroup {
  readonly title: string;
  readonly bars: readonly Bar[];
}

/** A bar of a series; the series decides its colour. */
export interface Bar {
  readonly series: string;
  readonly value: number;
  readonly label: string;
}

const WIDTH = 760;
const LEFT = 170;
const RIGHT = 130;
const BAR = 18;
const GAP = 6;
const TITLE = 30;
const HEAD = 50;
const COLOURS = ['#8c959f', '#0969da', '#8250df', '#cf222e', '#bf8700'];

/** Draws the groups below each other, on one scale from 0. A line marks a value of the scale. */
export function drawBars(heading: string, groups: readonly BarGroup[], mark: number): string {
  const series = [...new Set(groups.flatMap(({ bars }) => bars.map((bar) => bar.series)))];
  const longest = Math.max(mark, ...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const scale = (WIDTH - LEFT - RIGHT) / longest;
  const at = LEFT + mark * scale;
  const lines: string[] = [];
  let y = HEAD;
  for (const { title, bars } of groups) {
    lines.push(text(12, y + TITLE - 12, title, 'bold'));
    y += TITLE;
    const top = y - GAP;
    for (const { series: name, value, label } of bars) {
      const colour = COLOURS[series.indexOf(name) % COLOURS.length];
      const width = Math.max(1, value * scale).toFixed(1);
      lines.push(
        text(LEFT - 8, y + BAR - 5, name, 'end'),
        `<rect x="${LEFT}" y="${y}" width="${width}" height="${BAR}" fill="${colour}"/>`,
        text(Math.max(LEFT + Number(width), at) + 6, y + BAR - 5, label),
      );
      y += BAR + GAP;
    }
    lines.push(`<line x1="${at}" x2="${at}" y1="${top}" y2="${y}" stroke="#1f2328" stroke-dasharray="4 3"/>`);
  }
  const height = y + 16;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeXml(heading)}">`,
    '<style>text { font: 13px sans-serif; fill: #1f2328 } .bold { font-weight: bold } .end { text-anchor: end }</style>',
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(12, 28, heading, 'bold'),
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

function text(x: number, y: number, content: string, kind = ''): string {
  return `<text x="${x}" y="${y}"${kind && ` class="${kind}"`}>${escapeXml(content)}</text>`;
}

const escapeXml = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
