// Forgets a kept description as soon as the API contradicts it.
import type { Observer } from '../../../telemetry/observer.ts';
import type { DescriptionKeeper } from '../../../upstream/description/kept-description.ts';

/** Forgets a description when an action is refused or its path does not exist, and when a response is not as described. */
export const forgetWhenContradicted = (kept: Pick<DescriptionKeeper, 'drop'>): Observer => ({
  upstreamCall: ({ action, template }) => {
    if (action === null) return undefined;
    // A path with ids may be that of a missing object.
    const hasIds = /[{:]/.test(template);
    return ({ status }) => {
      if (status === 403 || (status === 404 && !hasIds)) kept.drop();
    };
  },
  invalidResponse: () => kept.drop(),
});
