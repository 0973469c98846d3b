import type { GithostRepositoryDetail } from '@slipway/contract/githost-shape'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { repositoryQuery } from '../api/new.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/forms/choice.tsx'
import { Bones, Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import type { Source } from './source.ts'

type Props = { owner: string; repo: string; onSource(source: Source): void }

/** The branch whose pushes are deployed. */
export function BranchStep({ owner, repo, onSource }: Props) {
  const found = useQuery(repositoryQuery({ owner, repo }))
  if (found.isPending) return <Bones rows={3} />
  if (found.isError) return <Refused error={found.error} onRetry={() => found.refetch()} />
  return <Branches repository={found.data} onSource={onSource} />
}

type Known = { repository: GithostRepositoryDetail; onSource: Props['onSource'] }

function Branches({ repository, onSource }: Known) {
  const { fullName, defaultBranch, branches = [], branchesTruncated, linkedProjects } = repository
  const { branch: asked } = useSearch({ from: '/in/new' })
  const [branch, setBranch] = useState(asked ?? defaultBranch)
  const names = [...new Set([defaultBranch, ...(asked ? [asked] : []), ...branches.map(({ name }) => name)])]
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSource({ kind: 'repository', repository, branch })
  }
  return (
    <Card>
      <form onSubmit={submit} className="space-y-4 p-4">
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <p className="min-w-0 flex-1 font-semibold break-all">{fullName}</p>
          <Link
            to="/new"
            search={({ repo: _, branch: __, ...rest }) => rest}
            className="text-xs font-medium text-brand hover:underline"
          >
            Another repository
          </Link>
        </div>
        {linkedProjects.length > 0 && (
          <p className="text-soft">
            Linked to {linkedProjects.map(({ name }) => name).join(', ')} already. Another project beside it is
            possible.
          </p>
        )}
        <Choice
          label="Branch"
          value={branch}
          choices={names.map((name) => ({ value: name, label: name }))}
          hint={branchesTruncated ? 'There are more branches than are listed here.' : 'Pushes to it are deployed.'}
          onChange={({ currentTarget }) => setBranch(currentTarget.value)}
        />
        <Button type="submit" look="primary">
          Go on
        </Button>
      </form>
    </Card>
  )
}
