// Defines the resource of user namespace maps, which only version 5.0 has.
import { index, show } from '../actions/actions.ts';
import { visibleToOwner } from '../domain/access.ts';
import type { ResourceDefinition } from '../engine/definition.ts';
import { association, integer, string } from '../engine/parameters.ts';

/** Mappings of user ids between a VPS and its node. In version 5.0, datasets refer to them. */
export const userNamespaceMap: ResourceDefinition = {
  description: 'Manage UID/GID mappings',
  table: 'user_namespace_maps',
  isVisible: visibleToOwner('user'),
  output: {
    id: integer(),
    label: string(),
    user: association('user', 'login'),
  },
  actions: { index: index({ description: 'List mappings' }), show: show({ description: 'Show a mapping' }) },
};
