import { ACTIONS, RESOURCES, type Resource, ROLE_PERMISSIONS, ROLES, type Role } from '@slipway/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { Fragment } from 'react'
import { meQuery } from '../api/queries.ts'
import { Card } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'

/** The contract's own table, which the server decides by. */
export function RolesTab() {
  const { data: me } = useQuery(meQuery)
  return (
    <Section
      title="What each role may do"
      note="This is the table that the server decides by. An access token can never do more than the person who made it."
    >
      <Card>
        <table className="w-full table-fixed text-left">
          <caption className="sr-only">Permissions by role</caption>
          <thead className="border-b border-line text-xs text-faint max-sm:text-2xs">
            <tr>
              <th scope="col" className="w-[38%] py-2 pl-4 font-medium">
                Permission
              </th>
              {ROLES.map((role) => (
                <th
                  key={role}
                  scope="col"
                  className={`px-1 py-2 text-center font-medium ${role === me?.role ? 'text-ink' : ''}`}
                >
                  {role}
                  {role === me?.role && <span className="block text-2xs font-normal text-faint">yours</span>}
                </th>
              ))}
            </tr>
          </thead>
          {RESOURCES.map((resource) => (
            <ResourceRows key={resource} resource={resource} own={me?.role} />
          ))}
        </table>
      </Card>
    </Section>
  )
}

function ResourceRows({ resource, own }: { resource: Resource; own: Role | undefined }) {
  return (
    <tbody className="border-t border-line first-of-type:border-t-0">
      {ACTIONS.map((action) => (
        <tr key={action} className="hover:bg-hover/60">
          <th scope="row" className="py-1.5 pl-4 font-mono text-xs font-normal wrap-anywhere max-sm:text-2xs">
            <span className="text-soft">
              {resource.split('_').map((word, at) => (
                <Fragment key={word}>
                  {at > 0 && (
                    <>
                      _<wbr />
                    </>
                  )}
                  {word}
                </Fragment>
              ))}
              :
            </span>
            <wbr />
            {action}
          </th>
          {ROLES.map((role) => (
            <td key={role} className={`py-1.5 text-center ${role === own ? 'bg-hover/60' : ''}`}>
              {ROLE_PERMISSIONS[role].has(`${resource}:${action}`) ? (
                <Check size={14} className="mx-auto text-ok" role="img" aria-label="yes" />
              ) : (
                <span className="text-faint">
                  <span aria-hidden>–</span>
                  <span className="sr-only">no</span>
                </span>
              )}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}
