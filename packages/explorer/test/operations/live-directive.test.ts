// Tests how the switch of the explorer makes a query live, and not live any more.
import { describe, expect, it } from 'vitest';
import { readLiveSwitch } from '../../src/operations/live-directive.ts';

/** The text after the switch is pressed; null where it cannot be. */
function press(text: string, name: string | null = null): string | null {
  const { edit } = readLiveSwitch(text, name) ?? {};
  return edit === undefined ? null : text.slice(0, edit.start) + edit.text + text.slice(edit.end);
}

describe('the live switch', () => {
  it.each([
    ['{ a }', 'query @live { a }'],
    ['# one\n{ a }', '# one\nquery @live { a }'],
    ['query { a }', 'query @live { a }'],
    ['query{ a }', 'query @live { a }'],
    ['query A($id: ID!) @other {\n  a(id: $id)\n}', 'query A($id: ID!) @other @live {\n  a(id: $id)\n}'],
    ['query @live(interval: 5, if: true) { a }', 'query { a }'],
    ['query A\n  @live {\n  a\n}', 'query A {\n  a\n}'],
  ])('makes of %j the text %j', (before, after) => {
    expect(press(before)).toBe(after);
    expect(readLiveSwitch(after, null)?.isLive).toBe(!readLiveSwitch(before, null)?.isLive);
  });

  it('changes the named operation of several', () => {
    expect(press('query A { a } query B { b }', 'B')).toBe('query A { a } query B @live { b }');
    expect(press('query A { a } query B { b }')).toBeNull();
  });

  it.each(['', 'query {', 'mutation { a }', 'subscription { a }', 'fragment F on A { a }'])(
    'cannot be pressed for %j',
    (text) => {
      expect(press(text)).toBeNull();
    },
  );
});
