// Keeps texts of an API from controlling a terminal.
import { stripVTControlCharacters } from 'node:util';

/** A text that cannot control a terminal or break a line. */
export const clean = (text: string): string => stripVTControlCharacters(text).replaceAll(/\p{Cc}+/gu, ' ');

/** A text that may have several lines, none of which controls a terminal. */
export const cleanLines = (text: string): string => text.split('\n').map(clean).join('\n');
