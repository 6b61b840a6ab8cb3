// Reads the settings again on SIGHUP, and says which of them have changed.
import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from '../../config/config-error.ts';
import { type ServeConfig, serveSettings } from '../../config/serve-settings.ts';
import { settingsOf } from '../../config/setting.ts';
import type { Log } from '../../log.ts';
import { CHANGEABLE_LIMITS } from '../../server/limits.ts';

/** The settings that hold from the moment on when they are read. All others need a restart. */
const CHANGEABLE = new RegExp(`^(origins|limits\\.(${CHANGEABLE_LIMITS.join('|')}))$`);

/**
 * Reads the settings again, and logs what has changed. Settings that are invalid change nothing.
 * @param current The settings in force.
 * @returns The settings in force from now on.
 */
export function reloadSettings(current: ServeConfig, read: () => ServeConfig, log: Log): ServeConfig {
  const found = tryToRead(read, log);
  if (found === null) return current;
  const changed = settingsOf(serveSettings)
    .map(({ key }) => key)
    .filter((key) => !isEqual(valueAt(current, key), valueAt(found, key)));
  const applied = changed.filter((key) => CHANGEABLE.test(key));
  const pending = changed.filter((key) => !CHANGEABLE.test(key));
  const event = 'reload';
  log.info(`the settings were read again; changed: ${applied.join(', ') || 'none'}`, { event, applied });
  if (pending.length > 0)
    log.warn(`these settings have changed too, but need a restart: ${pending.join(', ')}`, {
      event,
      pending,
    });
  const { origins, limits } = found;
  const changeable = Object.fromEntries(CHANGEABLE_LIMITS.map((name) => [name, limits[name]]));
  return { ...current, origins, limits: { ...current.limits, ...changeable } };
}

function tryToRead(read: () => ServeConfig, log: Log): ServeConfig | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log.warn(
      `the settings are invalid, so the previous ones stay in use: ${error.message.replaceAll('\n', ' ')}`,
      { event: 'reload' },
    );
    return null;
  }
}

const valueAt = (config: object, key: string): unknown =>
  key.split('.').reduce<unknown>((at, name) => Object(at)[name], config);

/** Whether two values of a setting are equal. Addresses are compared as texts, because their content is private. */
const isEqual = (one: unknown, other: unknown): boolean =>
  one instanceof URL && other instanceof URL ? one.href === other.href : isDeepStrictEqual(one, other);
