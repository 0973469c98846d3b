import { CloudOff } from 'lucide-react'
import { wordsOf } from '../api/client.ts'
import { Button } from './button.tsx'

type Asked = { isError: boolean; error: unknown; dataUpdatedAt: number; isFetching: boolean; refetch(): unknown }

/** What is shown below is old: since when, why, and the way to ask again. */
export function Stale({ query }: { query: Asked }) {
  if (!query.isError || query.dataUpdatedAt === 0) return null
  return (
    <p
      role="status"
      className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg bg-idle-tint px-3 py-2 text-idle"
    >
      <CloudOff size={15} aria-hidden />
      <span className="min-w-0 flex-1 basis-52">
        As of {new Date(query.dataUpdatedAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}.{' '}
        {wordsOf(query.error).sentence}
      </span>
      <Button size="sm" busy={query.isFetching} onClick={() => query.refetch()}>
        Try again
      </Button>
    </p>
  )
}
