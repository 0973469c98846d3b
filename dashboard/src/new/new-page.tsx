import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { projectsQuery } from '../api/queries.ts'
import { Page, PageHead } from '../ui/page.tsx'
import { useTitle } from '../ui/title.ts'
import { ChosenLine } from './chosen-line.tsx'
import { FolderSource } from './folder-source.tsx'
import { ImageSource } from './image-source.tsx'
import { Launch } from './launch.tsx'
import { OtherSources } from './other-sources.tsx'
import { RepositorySource } from './repository-source.tsx'
import type { Source } from './source.ts'

/** One page from a source to a deployment. Nothing exists before somebody says Deploy: leaving loses nothing but the choice. */
export function NewPage() {
  const { from = 'folder', project: projectId } = useSearch({ from: '/in/new' })
  const { data: projects } = useQuery(projectsQuery)
  const project = projects?.find(({ id }) => id === projectId) ?? null
  const [source, setSource] = useState<Source | null>(null)
  const title = project ? `Deploy to ${project.name}` : 'New project'
  useTitle(`${title} · Slipway`)
  return (
    <Page>
      <div className="max-w-3xl">
        <PageHead title={title} note="Nothing is deployed before you have seen how it would be built." />
        {source ? (
          <>
            <ChosenLine source={source} onOther={() => setSource(null)} />
            <Launch key={keyOf(source)} source={source} project={project} isFor={projectId !== undefined} />
          </>
        ) : (
          <>
            {from === 'folder' && <FolderSource onSource={setSource} />}
            {from === 'repository' && <RepositorySource onSource={setSource} below={<OtherSources from={from} />} />}
            {from === 'image' && <ImageSource onSource={setSource} />}
            {from !== 'repository' && <OtherSources from={from} />}
          </>
        )}
      </div>
    </Page>
  )
}

const keyOf = (source: Source): string => {
  if (source.kind === 'folder') return source.uploadSessionId
  return source.kind === 'image' ? source.image : `${source.repository.fullName} ${source.branch}`
}
