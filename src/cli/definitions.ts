// The settings of each command, as its flags, variables and help are made from them.

import { variablesOf } from '../config/read-settings.ts';
import { conflictsOfServe, serveSettings } from '../config/serve-settings.ts';
import { settingsOf } from '../config/setting.ts';
import { callerSettings, conflictsOfCaller } from './client/caller-settings.ts';
import { loginSettings, logoutSettings } from './client/login/login-settings.ts';
import { sandboxSettings } from './sandbox/sandbox-settings.ts';

/** Names the configuration file. */
export const FILE_VARIABLE = 'OPTIONGRAPH_CONFIG';

const variables = new Set([
  FILE_VARIABLE,
  ...[serveSettings, sandboxSettings, callerSettings, loginSettings].flatMap((one) =>
    variablesOf(settingsOf(one)),
  ),
]);

/** The settings of `serve`. */
export const SERVE = { settings: serveSettings, hasFile: true, conflictsOf: conflictsOfServe, variables };
/** The settings of `sandbox`. */
export const SANDBOX = { settings: sandboxSettings, hasFile: false, conflictsOf: () => ({}), variables };
/** The settings of commands that use an API as one caller. */
export const CALLER = { settings: callerSettings, hasFile: false, conflictsOf: conflictsOfCaller, variables };
/** The settings of `login`. */
export const LOGIN = { settings: loginSettings, hasFile: false, conflictsOf: () => ({}), variables };
/** The settings of `logout`. */
export const LOGOUT = { settings: logoutSettings, hasFile: false, conflictsOf: () => ({}), variables };
