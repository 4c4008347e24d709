import type { ErasureFence } from '../../domain/erasure-fence.js';
import type { RequestLookup } from '../../status/request-lookup.js';
import type { Transition } from '../../status/transition.js';

/** A lookup that knows nothing of the requests of erased accounts, which memory may still hold. */
export function lookupWithoutErased(lookup: RequestLookup, fence: ErasureFence): RequestLookup {
  const isErased = ({ account, version }: Transition): boolean =>
    fence.covers(account, BigInt(version));
  return {
    async find(requestId) {
      const found = await lookup.find(requestId);
      return typeof found !== 'string' && isErased(found) ? 'unknown' : found;
    },
    remember: (transition) => {
      lookup.remember(transition);
    },
    watch: (requestId, known, changed) =>
      lookup.watch(requestId, known, (transition) => {
        if (!isErased(transition)) changed(transition);
      }),
  };
}
