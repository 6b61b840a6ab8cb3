// Lays out log lines for people.
import { styleText } from 'node:util';

const COLORS = { info: 'green', warn: 'yellow', error: 'red' } as const;

/**
 * Makes `[12:30:00] WARN: message {"field":1}` of a line of JSON, in local time, and puts a stack on lines below it.
 * @param line A line of `createLog`, in which nothing controls a terminal.
 */
export function layOutLine(line: string, hasColors: boolean): string {
  const { level, time, msg, stack, pid, hostname, ...fields } = JSON.parse(line);
  const name = String(level).toUpperCase();
  const color = COLORS[level as keyof typeof COLORS];
  const clock = new Date(time).toTimeString().slice(0, 8);
  const shown = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
  const below = typeof stack === 'string' ? `\n${stack.replace(/^/gm, '    ')}` : '';
  return `[${clock}] ${hasColors ? styleText(color, name, { validateStream: false }) : name}: ${msg}${shown}${below}\n`;
}
