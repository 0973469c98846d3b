import { useQuery } from '@tanstack/react-query'
import { instanceQuery } from '../api/queries.ts'
import { Bones } from '../ui/page.tsx'
import { CloudLinkPanel } from './cloud-link-panel.tsx'
import { LinkedInstances } from './linked-instances.tsx'

/** An instance has one cloud above it at most; a cloud has instances below it. */
export function CloudTab() {
  const { data: instance } = useQuery(instanceQuery)
  if (!instance) return <Bones rows={2} />
  return instance.mode === 'cloud' ? <LinkedInstances /> : <CloudLinkPanel />
}
