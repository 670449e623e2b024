// What has been read from the service, shared by pages and by links that fetch ahead.
import { PatchbayError } from '@patchbay/sdk'
import { MutationCache, QueryClient } from '@tanstack/react-query'
import { sentenceOf } from './api.ts'
import { toast } from './ui/toast.tsx'

export const queries = new QueryClient({
  defaultOptions: {
    // What is asked while the connection is lost fails at once and is said; it does not happen later, when nobody expects it.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 5000,
      // A refusal stays a refusal; only what was lost on the way is tried again.
      retry: (count, error) => count < 2 && !(error instanceof PatchbayError && error.status < 500),
    },
  },
  // A refusal that no field shows is told here, so that none is ever swallowed.
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      if (mutation.meta?.['isShownInPlace'] !== true) toast.error(sentenceOf(error))
    },
  }),
})
