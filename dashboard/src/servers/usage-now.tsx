import { useQuery } from '@tanstack/react-query'
import { projectsQuery } from '../api/queries.ts'
import { serverUsageQuery } from '../api/servers.ts'
import { bytesInWords } from '../ui/bytes-in-words.ts'
import { Bones, Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Stale } from '../ui/stale.tsx'

const HEAD = 'px-3 py-2 text-right text-xs sm:px-4 font-medium text-faint first:text-left'
const CELL = 'px-3 py-2.5 text-right num sm:px-4 whitespace-nowrap'

/** What each project takes of the server at this moment. */
export function UsageNow({ id }: { id: string }) {
  const usage = useQuery(serverUsageQuery(id))
  const { data: projects = [] } = useQuery(projectsQuery)
  const names = new Map(projects.map(({ id: project, name }) => [project, name]))
  return (
    <Section title="In use now" note="By project, as the engine says it at this moment.">
      <Stale query={usage} />
      {usage.isPending && <Bones rows={2} />}
      {usage.isLoadingError && <Refused error={usage.error} onRetry={() => usage.refetch()} />}
      {usage.data?.length === 0 && <p className="text-soft">No project runs here now.</p>}
      {usage.data && usage.data.length > 0 && (
        <Card>
          <table className="w-full">
            <thead className="border-b border-line">
              <tr>
                {['Project', 'Containers', 'Processor', 'Memory'].map((word) => (
                  <th key={word} scope="col" className={HEAD}>
                    {word}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {usage.data.map(({ projectId, containers, cores, memoryBytes }) => (
                <tr key={projectId}>
                  <th scope="row" className="w-full max-w-0 truncate px-3 py-2.5 text-left sm:px-4 font-medium">
                    {names.get(projectId) ?? projectId}
                  </th>
                  <td className={CELL}>{containers}</td>
                  <td className={CELL}>{cores.toFixed(2)} cpu</td>
                  <td className={CELL}>{bytesInWords(memoryBytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Card>
      )}
    </Section>
  )
}
