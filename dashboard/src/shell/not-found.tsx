import { Link } from '@tanstack/react-router'
import { useTitle } from '../ui/title.ts'

export function NotFound() {
  useTitle('Nothing here · Slipway')
  return (
    <div className="mx-auto max-w-md px-4 py-24 text-center">
      <h1 tabIndex={-1} className="text-lg font-semibold outline-none">
        There is nothing at this address
      </h1>
      <p className="mt-2 text-soft text-pretty">
        It was deleted, it belongs to another organization, or the address has a typing mistake.
      </p>
      <Link to="/" className="mt-4 inline-block font-medium text-brand underline underline-offset-4">
        Back to the overview
      </Link>
    </div>
  )
}
