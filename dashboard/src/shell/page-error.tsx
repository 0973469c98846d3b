import { useRouter } from '@tanstack/react-router'
import { isRefusal, wordsOf } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { useTitle } from '../ui/title.ts'
import { NotFound } from './not-found.tsx'

/** The API's own words, and the id that finds them in the server's log. */
export function PageError({ error }: { error: unknown }) {
  return isRefusal(error) && error.status === 404 ? <NotFound /> : <Broken error={error} />
}

function Broken({ error }: { error: unknown }) {
  const router = useRouter()
  const { sentence, hint, requestId } = isBug(error) ? OURS : wordsOf(error)
  useTitle('Trouble · Slipway')
  return (
    <div className="px-4">
      <div
        role="alert"
        className="mx-auto mt-16 max-w-lg rounded-xl border border-line bg-surface p-6 text-pretty shadow-card"
      >
        <h1 tabIndex={-1} className="text-base font-semibold outline-none">
          {sentence}
        </h1>
        {hint && <p className="mt-2 text-soft">{hint}</p>}
        {requestId && <p className="mt-3 font-mono text-xs break-all text-faint">request {requestId}</p>}
        <Button className="mt-4" onClick={() => router.invalidate()}>
          Try again
        </Button>
      </div>
    </div>
  )
}

/** `fetch` throws a TypeError when nobody answers; so does most of what we got wrong, with other words. */
const isBug = (error: unknown) => !isRefusal(error) && !/fetch|network|load failed/i.test(String(error))
const OURS = {
  sentence: 'This page has a fault.',
  hint: 'What runs is not affected by this. Try again; if it stays, the command line can do everything that this page can.',
  requestId: null,
}
