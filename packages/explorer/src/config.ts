// Reads the configuration that the server writes into the page.
import type { PanelConfig } from '../../../src/plugins/explorer/panel-config.ts';

const element = document.getElementById('optiongraph-config');

/** The configuration from the server. */
export const config = JSON.parse(element?.textContent ?? '{}') as PanelConfig;

/** The name of the API. */
export const apiTitle = config.title ?? location.host;

/** Path of GraphQL, which is that of the page. */
export const endpoint = location.pathname;
