// Prints settings with the source of each.
import { Document, isNode } from 'yaml';
import { type Given, isRecord } from './given-settings.ts';
import type { Setting } from './setting.ts';

/** Prints settings as YAML, which is a configuration file again. Secrets are redacted; the files that hold them are named. */
export function printSettings(settings: readonly Setting[], given: ReadonlyMap<string, Given>): string {
  const document = new Document({});
  for (const { key, isSecret, default: fallback } of settings) {
    const { value, from } = given.get(key) ?? { value: fallback, from: 'default' };
    const shown = isSecret && value !== null && !isRecord(value) ? '(redacted)' : value;
    const node = document.createNode(shown, { flow: true });
    if (isNode(node)) node.comment = ` ${from}`;
    document.setIn(key.split('.'), node);
  }
  return document.toString({ lineWidth: 0 });
}
