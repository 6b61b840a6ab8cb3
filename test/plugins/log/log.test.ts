// Tests the format of log lines.
import { describe, expect, it } from 'vitest';
import { createLog, type LogLevel } from '../../../src/log.ts';

/** Makes a log, and returns the lines that it has written. */
function openLog(level?: LogLevel) {
  const lines: string[] = [];
  return { log: createLog((line) => lines.push(line), level), lines };
}

describe('a log line', () => {
  it('is one JSON object with its time, level, fields and message', () => {
    const { log, lines } = openLog();
    log.warn('a limit was hit', { event: 'limit', hits: 2 });
    expect(lines).toEqual([expect.stringMatching(/^\{.*\}\n$/)]);
    expect(JSON.parse(lines.join(''))).toMatchObject({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      event: 'limit',
      hits: 2,
      msg: 'a limit was hit',
    });
  });

  it('has no control characters, whatever names the upstream uses', () => {
    const { log, lines } = openLog();
    log.warn('left out "a\nb\r\u001b[31m{"level":"error"}"', { name: 'a\nb' });
    expect(lines.join('')).toMatch(/^[^\n\p{Cc}]+\n$/u);
    expect(JSON.parse(lines.join('')).msg).toBe('left out "a�b��[31m{"level":"error"}"');
  });

  it('of an internal error has its stack, and none of its properties', () => {
    const { log, lines } = openLog();
    log.error('it failed', Object.assign(new Error('why'), { headers: 'secret' }));
    expect(JSON.parse(lines.join(''))).toMatchObject({
      level: 'error',
      msg: 'it failed',
      cause: 'Error: why',
      stack: expect.stringMatching(/^Error: why\n {4}at .+\n {4}at /),
    });
    expect(lines.join('')).not.toContain('secret');
  });

  it('is left out below the level', () => {
    for (const [level, expected] of [
      ['info', ['info', 'warn', 'error']],
      ['warn', ['warn', 'error']],
      ['error', ['error']],
      ['off', []],
    ] as const) {
      const { log, lines } = openLog(level);
      log.info('a');
      log.warn('b');
      log.error('c');
      expect(lines.map((line) => JSON.parse(line).level)).toEqual(expected);
    }
  });
});
