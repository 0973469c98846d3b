import { Link } from '@tanstack/react-router'
import { isHereOnly } from './here-only.ts'

/** Beside addresses of a project: who clicks on one from elsewhere would find nobody there. */
export function HereOnlyNote({ urls, projectId }: { urls: string[]; projectId: string }) {
  if (!urls.some(isHereOnly)) return null
  return (
    <span className="text-xs text-soft">
      A name below localhost opens only on the machine itself.
      {urls.every(isHereOnly) && (
        <>
          {' '}
          <Link
            to="/projects/$id"
            params={{ id: projectId }}
            search={{ tab: 'domains' }}
            className="font-medium text-brand underline underline-offset-4"
          >
            Add a domain
          </Link>
        </>
      )}
    </span>
  )
}
