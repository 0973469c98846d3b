import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isRefusal } from './client.ts'

const SILENT_MS = 5000

const isSignedOut = (error: unknown) => isRefusal(error) && error.status === 401

/**
 * `onSignedOut`: the session has ended, whoever noticed it first. Whether there is a network the browser only guesses: nothing waits for
 * its word, so that what cannot be asked is told as that, and an act is done when somebody asks for it or not at all.
 */
export const makeQueryClient = (onSignedOut: () => void): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({
      // Who was never signed in is sent to the sign-in by the guard of the page.
      onError: (error, { state, queryKey }) => {
        const wasNeverIn = queryKey.length === 1 && queryKey[0] === 'me' && state.data === undefined
        if (isSignedOut(error) && !wasNeverIn) onSignedOut()
      },
    }),
    mutationCache: new MutationCache({
      // A wrong password is a 401 as well.
      onError: (error, _, __, { meta }) => {
        if (isSignedOut(error) && meta?.signsIn !== true) onSignedOut()
      },
    }),
    defaultOptions: {
      queries: {
        networkMode: 'always',
        // A "no" does not become a "yes" by asking again; only silence is worth a second try.
        retry: (times, error) => !isRefusal(error) && times < 3,
        staleTime: 2000,
        // Nor does silence last: whatever found nobody there asks again until somebody is.
        refetchInterval: ({ state: { status, error } }) =>
          status === 'error' && !isRefusal(error) ? SILENT_MS : false,
      },
      mutations: { networkMode: 'always' },
    },
  })
